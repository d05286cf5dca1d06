/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings of the cuda device before it is started, and libcuda's functions. */
#ifndef GASAN_DEVICE_CUDA_CUDA_H
#define GASAN_DEVICE_CUDA_CUDA_H

/* Sets the path of the libcudart that gets the program's calls. "" or NULL: it is searched. Call before start. The
 * string must live as long as the process. */
void gasan_cuda_set_runtime(const char *path);

/* Returns a function of libcuda by its exported symbol, also before start. NULL: there is none. Any thread. */
void *gasan_cuda_driver_symbol(const char *symbol);

#endif
