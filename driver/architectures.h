/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the GPU architectures that a command compiles for. */
#ifndef GASAN_DRIVER_ARCHITECTURES_H
#define GASAN_DRIVER_ARCHITECTURES_H

#include "driver/arguments.h"
#include "driver/paths.h"

/* The oldest architecture that CUDA 13's tools support. */
#define GASAN_DEFAULT_ARCHITECTURE "sm_75"

/* Returns names such as "sm_90a", oldest first, each once; the default if the command names none. Asks clang what
 * "native" is, and ends the process with a message if this machine has no GPU. */
struct gasan_strings gasan_architectures_choose(const struct gasan_arguments *arguments,
                                                const struct gasan_paths *paths);
void gasan_architectures_sort(struct gasan_strings *names);
/* With devices=cpu, removes all architectures but the newest, from which the CPU device's code is made. */
void gasan_architectures_reduce(struct gasan_strings *sorted, const struct gasan_arguments *arguments);
/* Returns "90a" for "sm_90a". */
const char *gasan_architectures_number(const char *name);

/* Returns true for the name of a family: "sm_100f". LLVM and ptxas know families, clang 22 does not. */
bool gasan_architectures_is_family(const char *name);
/* Returns the name of a family's first GPU, for clang: "sm_100" of "sm_100f". Returns other names as they are. */
const char *gasan_architectures_first(const char *name);

#endif
