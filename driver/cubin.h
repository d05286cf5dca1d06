/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the architectures' binaries from PTX: runs ptxas and nvlink.
 *
 * ptxas gives each kernel a copy of every function that it calls, registers for both at the call, and takes time for
 * each copy. The device runtime's functions are called from everywhere and hardly ever run. So a file whose functions
 * are all the runtime's is assembled as an object (ptxas -c), in which functions keep to the ABI and to few registers,
 * and linked (nvlink). driver/ptx_linking.h decides which files. */
#ifndef GASAN_DRIVER_CUBIN_H
#define GASAN_DRIVER_CUBIN_H

#include "driver/device_image.h"

/* Makes one binary from each of the image's PTX files. If a kernel takes too many registers, replaces the PTX file's
 * name in the image by that of a file in which it does not (driver/registers.h). Returns the exit status of the first
 * command that failed, or 0. */
int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries);

#endif
