/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of the pool for cudaMalloc and its relatives. Any thread; no lock of its own. */
#ifndef GASAN_RT_ALLOCATE_H
#define GASAN_RT_ALLOCATE_H

#include <driver_types.h>
#include <stddef.h>

struct gasan_rt_device;

/* Takes a chunk of the device's pool, which exists, for `api`, whose name lives for ever. An error is the thread's last
 * error, too. */
cudaError_t gasan_memory_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size);

#endif
