/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of kernels that no module of ours registered. Any thread. One lock (`names_lock`), under which nothing is
 * called. */
#ifndef GASAN_RT_KERNEL_NAMES_H
#define GASAN_RT_KERNEL_NAMES_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/* Returns the device symbol of a CUfunction, or of a CUkernel in its place; never freed, one string for one name. NULL:
 * the driver does not know it (before CUDA 12.3). */
const char *gasan_kernel_name(CUfunction function);

/* Must be called when a module or a library was unloaded: its handles may be given again. */
void gasan_kernel_names_changed(void);

#endif
