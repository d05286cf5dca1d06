/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads from a GPU core dump, as the driver writes it for CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1, where a kernel was
 * stopped. The dump may be damaged in any way. Any thread; no lock. Pointers lead into the dump's bytes.
 *
 * A dump is an ELF file. Its sections are tables, whose links and numbers form a tree: devices; on each its grids and
 * its SMs; on an SM its blocks, warps and lanes. Drivers append fields to the entries, so an entry may be longer or
 * shorter than expected. The images of the loaded modules are ELF files inside of it, with the addresses of their
 * code. */
#ifndef GASAN_RT_CORE_DUMP_H
#define GASAN_RT_CORE_DUMP_H

#include "gasan_rt/evidence/elf_file.h"
#include "gasan_rt/evidence/instruction.h"
#include "gasan_rt/evidence/line_table.h"

#define GASAN_DUMP_LINES 16u
#define GASAN_DUMP_LANES 32u

struct gasan_dump_fault {
  uint64_t pc;     /* of the instruction that the device did not allow */
  uint64_t offset; /* from the start of `function` */
  /* Symbols; NULL: not known. `function` has the instruction; it is the kernel itself or a function that it calls. */
  const char *kernel, *function;
  struct gasan_line lines[GASAN_DUMP_LINES]; /* of the instruction, innermost first */
  uint32_t line_count;
  struct gasan_instruction instruction;

  bool has_grid;
  uint32_t grid_size[3], block_size[3];

  /* The threads that stopped there and had not ended: the first one in grid order, and their number. One of them made
   * the access, or others of the same warp did. 0: all have ended. */
  uint64_t threads;
  uint32_t block[3], thread[3];
  /* Addresses of a load, by threads of one warp. Only if no thread has run on since. */
  uint64_t addresses[GASAN_DUMP_LANES];
  uint32_t address_threads[GASAN_DUMP_LANES][3];
  uint32_t address_count;
};

/* Returns false if the file is no dump, or has no stopped warp. */
bool gasan_core_dump_read(struct gasan_bytes file, struct gasan_dump_fault *fault);

/* Returns true if all sections of the file are there: the driver has written all of it. */
bool gasan_core_dump_is_complete(struct gasan_bytes file);

#endif
