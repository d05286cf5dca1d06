/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From PTX to the binaries of the architectures.
 *
 * ptxas gives each kernel a copy of every function that it calls, registers that are enough for both at the call, and
 * time for each copy. The device runtime's functions are called hardly ever, and from everywhere. So where all
 * functions are the runtime's, a file is assembled as an object (ptxas -c), in which functions keep to the ABI and to
 * few registers, and linked (nvlink). */
#ifndef GASAN_DRIVER_CUBIN_H
#define GASAN_DRIVER_CUBIN_H

#include "driver/device_image.h"

/* One binary for each of the image's PTX files; a file is replaced by another if kernels take too many registers
 * (driver/registers.h). The exit status of the first command that failed, else 0. */
int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries);

#endif
