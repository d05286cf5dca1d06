/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes the CUDA toolkit that a command uses: its version, and the architectures that its tools know. */
#ifndef GASAN_DRIVER_TOOLKIT_H
#define GASAN_DRIVER_TOOLKIT_H

#include "driver/strings.h"

#include <stdbool.h>

struct gasan_toolkit_version {
  int major, minor;
};

/* Returns the toolkit's version, as its cuda.h states it; 0.0 if there is no cuda.h. */
struct gasan_toolkit_version gasan_toolkit_version(const char *cuda_folder);
/* Adds an option that makes clang find the toolkit's headers before those of another toolkit in /usr/include or
 * /usr/local/include, which clang would search first. */
void gasan_toolkit_push_includes(const char *cuda_folder, struct gasan_strings *command);
/* Returns the numbers of the architectures that the toolkit and clang know; with `major`, of the first of each
 * generation. */
struct gasan_strings gasan_toolkit_architectures(const char *cuda_folder, bool major);
/* Ends the process with a message if clang 22 or the toolkit does not know one of the architectures (as "sm_90a"). */
void gasan_toolkit_check(const char *cuda_folder, const struct gasan_strings *architectures);
/* Returns the version of PTX, as a feature of LLVM ("+ptx90"), that clang must be told for the architecture, because it
 * takes CUDA 13 for 12.9. Returns NULL if clang's own choice is right. */
const char *gasan_toolkit_ptx_feature(const char *architecture);

#endif
