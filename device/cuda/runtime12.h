/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls libcudart.so.12 where it differs from libcudart.so.13. Any thread, after use. */
#ifndef GASAN_DEVICE_CUDA_RUNTIME12_H
#define GASAN_DEVICE_CUDA_RUNTIME12_H

/* Must be called once, with the opened library, before the other function. */
void gasan_cuda_runtime12_use(void *runtime_library);
/* Returns a function with the name and the parameters that it has in CUDA 13, or NULL if CUDA 12 has none. */
void *gasan_cuda_runtime12_symbol(const char *name);

#endif
