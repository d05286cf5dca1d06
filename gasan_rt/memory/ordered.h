/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stream-ordered memory: cudaMallocAsync takes chunks of the pool like cudaMalloc, and cudaFreeAsync frees them once
 * the work that the stream had before is done (pending_frees.h). Any thread; no lock of its own. */
#ifndef GASAN_RT_ORDERED_H
#define GASAN_RT_ORDERED_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

struct gasan_rt_device;

/* cudaFreeAsync and cuMemFreeAsync. meant: what `stream`, as it is given to `real`, stands for. */
typedef cudaError_t (*gasan_ordered_free_function)(void *pointer, cudaStream_t stream);
cudaError_t gasan_ordered_free(const char *api, void *pointer, cudaStream_t stream, cudaStream_t meant,
                               gasan_ordered_free_function real);

/* The device whose pool serves an allocation; NULL: CUDA's own does. *pool NULL: the stream's device's current one. */
struct gasan_rt_device *gasan_ordered_server(cudaMemPool_t *pool, cudaStream_t stream);

/* Allocates in the name of this pool of CUDA's, in the stream's order. */
cudaError_t gasan_ordered_allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size,
                                   cudaMemPool_t pool, cudaStream_t stream);

/* CUDA's own pool has allocated, or has ended with this error, which is returned. */
cudaError_t gasan_ordered_note(cudaError_t error, const char *api, void **pointer, size_t size, cudaStream_t stream,
                               bool captured);

#endif
