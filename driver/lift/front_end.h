/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-nvcc --front-end=nvcc: the toolkit's nvcc compiles, with gasan-ptxas in ptxas's place. */
#ifndef GASAN_DRIVER_LIFT_FRONT_END_H
#define GASAN_DRIVER_LIFT_FRONT_END_H

#include <stdbool.h>

#include "driver/paths.h"

/* Returns true if the arguments have --front-end=nvcc. */
bool gasan_front_end_wanted(int count, char **texts);
/* Returns the exit status. `texts`: the arguments without the program's name. */
int gasan_front_end_run(int count, char **texts, const struct gasan_paths *paths);

#endif
