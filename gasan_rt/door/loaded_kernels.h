/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels with checks that the program has loaded by the driver API. An image shows by its variable __gasan_params that
 * it has checks, whoever has made it. Any thread. One lock (`kernels_lock`), under which nothing is called. */
#ifndef GASAN_RT_LOADED_KERNELS_H
#define GASAN_RT_LOADED_KERNELS_H

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/* Returns true if the handle is that of a kernel with checks, which is then registered under the handle. Asks the
 * driver at a kernel's first launch. */
bool gasan_loaded_kernel_is_checked(CUfunction function);

/* Must be called before a module is unloaded, and with the returned module after the driver has done so. NULL: it has
 * no checks. */
struct gasan_module *gasan_loaded_module_before_unload(CUmodule module);
void gasan_loaded_module_unloaded(struct gasan_module *module);

/* Returns true if a module with checks was loaded. */
bool gasan_loaded_modules_exist(void);

#endif
