/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements stream-ordered memory. cudaMallocAsync allocates chunks of the pool like cudaMalloc; cudaFreeAsync frees
 * them once the stream's earlier work is complete (pending_frees.h). Any thread; no lock of its own. */
#ifndef GASAN_RT_ORDERED_H
#define GASAN_RT_ORDERED_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

struct gasan_rt_device;

/* Frees for cudaFreeAsync and cuMemFreeAsync. `real` gets `stream`; `meant` is the stream that it stands for. */
typedef cudaError_t (*gasan_ordered_free_function)(void *pointer, cudaStream_t stream);
cudaError_t gasan_ordered_free(const char *api, void *pointer, cudaStream_t stream, cudaStream_t meant,
                               gasan_ordered_free_function real);

/* Returns the device whose pool allocates, or NULL if CUDA's own pool does. If *pool is NULL, sets it to the current
 * pool of the stream's device. */
struct gasan_rt_device *gasan_ordered_server(cudaMemPool_t *pool, cudaStream_t stream);

/* Allocates in the stream's order. The statistics of CUDA's `pool` count the bytes. */
cudaError_t gasan_ordered_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size,
                                   cudaMemPool_t pool, cudaStream_t stream);

/* Records an allocation of CUDA's own pool. Returns `error`, the result of CUDA's call. */
cudaError_t gasan_ordered_note(cudaError_t error, const char *api, void **pointer, size_t size, cudaStream_t stream,
                               bool captured);

#endif
