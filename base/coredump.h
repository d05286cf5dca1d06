/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How CUDA must write GPU core dumps for evidence/core_dump.h. The driver reads its variables when it is loaded, which
 * is before gasan's runtime in a process that was not built with gasan. So `gasan run` sets them for such processes. */
#ifndef GASAN_BASE_COREDUMP_H
#define GASAN_BASE_COREDUMP_H

/* A temporary folder's name up to the random characters, and in it the file of each process, by its number. */
#define GASAN_COREDUMP_FOLDER "gasan-coredump-"
#define GASAN_COREDUMP_FILE "/%p"

/* For CUDA_COREDUMP_GENERATION_FLAGS: only the dump's tables, the modules' images and the registers. skip_abort: the
 * process goes on, and gets the error. */
#define GASAN_COREDUMP_FLAGS                                                                                           \
  "skip_nonrelocated_elf_images,skip_global_memory,skip_shared_memory,skip_local_memory,skip_constbank_memory,"        \
  "skip_abort"

#endif
