/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Relocatable device code (-rdc=true) of nvcc's front end: an object has the lifted bitcode for each architecture, in
 * the container that clang's -fgpu-rdc objects have. So driver/rdc_link.h links both kinds, and the checks are inserted
 * when the whole device program is known. */
#ifndef GASAN_DRIVER_LIFT_RELOCATABLE_H
#define GASAN_DRIVER_LIFT_RELOCATABLE_H

#include <stdbool.h>

#include "driver/paths.h"
#include "driver/strings.h"
#include "driver/toolchain.h"

/* Set for the tools below nvcc if the command makes relocatable device code. */
#define GASAN_LIFT_RELOCATABLE "GASAN_LIFT_RELOCATABLE"

/* Returns the arguments of a driver that has the options of checks in GASAN_PTXAS_FLAGS. */
struct gasan_arguments gasan_relocatable_arguments(void);

/* In ptxas's place: lifts PTX, and writes bitcode that has no checks yet. Returns the exit status. */
int gasan_relocatable_lift(const struct gasan_toolchain *toolchain, const char *ptx, const char *architecture,
                           const char *output);

/* In fatbinary's place: packs the bitcode into the C file that nvcc's host code includes. Lifts PTX that nvcc embeds
 * without a cubin. `texts`: fatbinary's arguments. Returns the exit status. */
int gasan_relocatable_embed(int count, char **texts, const struct gasan_paths *paths);

/* Returns true if a link has objects with such a container. `options`: of nvcc; `objects`: files. */
bool gasan_relocatable_has_inputs(const struct gasan_strings *options, const struct gasan_strings *objects);

#endif
