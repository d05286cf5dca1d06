/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which GPU architectures a command compiles for. */
#ifndef GASAN_DRIVER_ARCHITECTURES_H
#define GASAN_DRIVER_ARCHITECTURES_H

#include "driver/arguments.h"
#include "driver/paths.h"

/* CUDA 13's tools know nothing older. */
#define GASAN_DEFAULT_ARCHITECTURE "sm_75"

/* Names such as "sm_90a", oldest first, none twice; the default if none was asked for. "native" is looked up with
 * clang and ends the process with a message if this machine has no GPU. */
struct gasan_strings gasan_architectures_choose(const struct gasan_arguments *arguments,
                                                const struct gasan_paths *paths);
void gasan_architectures_sort(struct gasan_strings *names);
/* "90a" of "sm_90a". */
const char *gasan_architectures_number(const char *name);

#endif
