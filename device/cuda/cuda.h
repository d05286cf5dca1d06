/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the runtime may set on the cuda device before it starts it, and libcuda's functions. */
#ifndef GASAN_DEVICE_CUDA_CUDA_H
#define GASAN_DEVICE_CUDA_CUDA_H

/* The libcudart that calls are forwarded to; "" or NULL: it is searched for. The string is kept. Before start. */
void gasan_cuda_set_runtime(const char *path);

/* A function of libcuda by its exported symbol, whether the device is started or not; NULL: there is none. */
void *gasan_cuda_driver_symbol(const char *symbol);

#endif
