/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Links device code for -fgpu-rdc: the bitcode of all objects becomes one module, which is instrumented as a whole. */
#ifndef GASAN_DRIVER_RDC_LINK_H
#define GASAN_DRIVER_RDC_LINK_H

#include "driver/link.h"

/* Finds the containers of the link's objects. If there are any, makes the GPU binary, the CPU image and the code
 * that registers both, and adds these objects to `command`. `inputs` is clang's link command, as
 * gasan_link_push_inputs makes it. Sets toolchain->program_cuda. Returns the exit status of the first step that failed,
 * or 0. */
int gasan_rdc_link(struct gasan_toolchain *toolchain, const struct gasan_link_objects *objects,
                   const struct gasan_strings *inputs, struct gasan_strings *command);

#endif
