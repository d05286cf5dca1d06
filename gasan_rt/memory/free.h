/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements cudaFree: waits until no kernel can use the memory, and then frees it. Any thread. One lock
 * (`deferred_lock`), under which nothing is called. */
#ifndef GASAN_RT_FREE_H
#define GASAN_RT_FREE_H

#include <driver_types.h>

struct gasan_rt_device;

/* Waits for the device, and then frees. Reports a pointer that is not a chunk's start. While a stream captures, defers
 * the free. */
cudaError_t gasan_memory_free(struct gasan_rt_device *owner, const char *api, void *pointer);

/* Frees any memory for cudaFree and cuMemFree; free_real is CUDA's own function. */
cudaError_t gasan_memory_free_any(const char *api, void *pointer, cudaError_t (*free_real)(void *));

/* Performs the frees that were deferred while streams captured. */
void gasan_memory_free_deferred(void);

#endif
