/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the architectures' binaries from PTX: runs ptxas and nvlink.
 *
 * ptxas gives each kernel a copy of every function that the kernel calls, and takes time for each copy. At the call,
 * the kernel needs registers for both. The device runtime's functions are called from everywhere and hardly ever run.
 * So a file in which all functions are the runtime's is assembled as an object (ptxas -c), in which functions follow
 * the ABI and use few registers, and is then linked (nvlink). driver/ptx_linking.h decides which files. */
#ifndef GASAN_DRIVER_CUBIN_H
#define GASAN_DRIVER_CUBIN_H

#include "driver/device_image.h"

/* Makes one binary from each of the image's PTX files. If a kernel takes too many registers, replaces the PTX file's
 * name in the image by that of a file in which it does not (driver/registers.h). Returns the exit status of the first
 * command that failed, or 0. */
int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries);

#endif
