/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stands in for fatbinary below nvcc: appends the id of the CPU image to the fat binary that nvcc embeds. */
#ifndef GASAN_DRIVER_LIFT_FATBINARY_H
#define GASAN_DRIVER_LIFT_FATBINARY_H

#include "driver/paths.h"

/* Returns the exit status. `texts`: the arguments without the program's name. */
int gasan_fatbinary_run(int count, char **texts, const struct gasan_paths *paths);

#endif
