/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-nvcc --front-end=nvcc: the toolkit's nvcc compiles, with gasan-ptxas in ptxas's place. */
#ifndef GASAN_DRIVER_LIFT_FRONT_END_H
#define GASAN_DRIVER_LIFT_FRONT_END_H

#include <stdbool.h>

#include "driver/paths.h"
#include "driver/strings.h"

/* Returns true if the arguments have --front-end=nvcc, or PTX as an input. CMake's test for the kind of compiler is
 * always compiled by clang: from the commands that -v prints, CMake takes the host's compiler, which links without
 * gasan's runtime. */
bool gasan_front_end_wanted(const struct gasan_strings *arguments);
/* Returns the exit status. gasan_nvcc_expand has expanded the arguments. */
int gasan_front_end_run(const struct gasan_strings *arguments, const struct gasan_paths *paths);

#endif
