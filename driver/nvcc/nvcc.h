/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-nvcc: accepts nvcc's command line in place of clang's. */
#ifndef GASAN_DRIVER_NVCC_NVCC_H
#define GASAN_DRIVER_NVCC_NVCC_H

#include "driver/paths.h"
#include "driver/strings.h"

struct gasan_nvcc_command {
  struct gasan_strings clang;    /* gasan-clang++'s arguments */
  struct gasan_strings *several; /* in their place: those of several commands, one after another */
  size_t count;                  /* of several */
  /* Not empty: a command of another program (llvm-ar), which does all of the work. */
  struct gasan_strings other;
  bool answered; /* the command was a question, which is answered */
  bool verbose, only_prints;
};

/* Translates the arguments, which gasan_nvcc_expand has expanded, and the variable GASAN_NVCC_FLAGS (options of
 * gasan-clang++, after all others). Checks are on unless one of them is -fno-sanitize=gpu-address. Prints what it
 * ignores with -v. Ends the process with a message for an option that nvcc does not have, or that clang cannot have. */
struct gasan_nvcc_command gasan_nvcc_translate(const struct gasan_strings *arguments, const struct gasan_paths *paths);

#endif
