/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates chunks of the pool for cudaMalloc and its relatives. Any thread; no lock of its own. */
#ifndef GASAN_RT_ALLOCATE_H
#define GASAN_RT_ALLOCATE_H

#include <driver_types.h>
#include <stddef.h>

struct gasan_rt_device;

/* Allocates a chunk of the device's pool, which must exist. `api` is the caller's name, a string that is never freed.
 * If it fails, the error is also the thread's last CUDA error. */
cudaError_t gasan_memory_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size);

#endif
