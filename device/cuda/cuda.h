/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings of the cuda device before it is started, and libcuda's functions. */
#ifndef GASAN_DEVICE_CUDA_CUDA_H
#define GASAN_DEVICE_CUDA_CUDA_H

/* Sets the path of the libcudart to which the program's calls are forwarded. "" or NULL: libcudart is searched. Must be
 * called before start. The string must live as long as the process. */
void gasan_cuda_set_runtime(const char *path);

/* Makes the device do without libcudart: gasan sees the process's calls at the driver API. Must be called before
 * start. */
void gasan_cuda_set_driver_only(void);

/* Returns a function of libcuda by its exported symbol. May be called before start. NULL: libcuda has no such function.
 * Any thread. */
void *gasan_cuda_driver_symbol(const char *symbol);

#endif
