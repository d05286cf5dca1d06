/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-nvcc's choice of a front end, where the user makes none: clang's, and nvcc's for a source that clang refuses.
 */
#ifndef GASAN_DRIVER_LIFT_FALLBACK_H
#define GASAN_DRIVER_LIFT_FALLBACK_H

#include <stdbool.h>

#include "driver/paths.h"
#include "driver/strings.h"

/* Returns true if the command compiles CUDA source to objects or a program, with checks, the toolkit has nvcc, and no
 * option excludes nvcc's front end or asks for clang's commands. gasan_nvcc_expand has expanded the arguments. */
bool gasan_fallback_is_possible(const struct gasan_strings *arguments);
/* Runs this driver with --front-end=clang. If that ends with errors that clang has reported, runs it with
 * --front-end=nvcc, but not after an error of gasan-nvcc's own. If that succeeds, prints a warning with clang's first
 * error; else prints clang's errors alone. Returns the exit status. */
int gasan_fallback_run(const struct gasan_strings *arguments, const struct gasan_paths *paths);

#endif
