/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the architectures' binaries from PTX: runs ptxas and nvlink.
 *
 * When ptxas assembles a whole program, it gives each kernel a copy of every function that the kernel calls. The copies
 * of the device runtime's functions, which hardly ever run, would take three quarters of the time, and registers in
 * each kernel. So the PTX is divided (driver/ptx_split.h). ptxas assembles the program as a whole that is open for
 * more (--extensible-whole-program, meant for CUDA's own device runtime), and the runtime as an object, in which
 * functions follow the ABI and use few registers. nvlink joins both. */
#ifndef GASAN_DRIVER_CUBIN_H
#define GASAN_DRIVER_CUBIN_H

#include "driver/device_image.h"

/* Makes one binary from each of the image's PTX files. If a kernel takes too many registers, replaces the PTX file's
 * name in the image by that of a file in which it does not (driver/registers.h). Returns the exit status of the first
 * command that failed, or 0. */
int gasan_cubin_make(struct gasan_device_image *image, const struct gasan_toolchain *toolchain,
                     const struct gasan_strings *binaries);

#endif
