/* Stream-ordered memory: cudaMallocAsync takes chunks of the pool like cudaMalloc, and cudaFreeAsync frees them once the work
 * that the stream had before is done.
 *
 * CUDA promises nothing of the memory from the call of cudaFreeAsync on: copies and sets are checked as if it were freed at
 * once. Kernels that were launched before may still use it, so its shadow is poisoned when their stream is done with them: an
 * event says so, at which every call that launches, waits or allocates looks. Any thread. */
#ifndef GASAN_RT_ORDERED_H
#define GASAN_RT_ORDERED_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool/pool.h"

/* Makes the frees whose streams have come to them. Never waits; does nothing while a stream captures. */
void gasan_ordered_poll(void);

/* Before a launch into the stream: waits a moment (report_wait_ms) for those frees that are ahead of it, once for each free. A
 * stream that then still works may be waiting for the host, and the kernel runs unpoisoned. */
void gasan_ordered_settle(cudaStream_t stream);

/* The same for all streams. */
void gasan_ordered_settle_all(void);

/* If the address is in a chunk whose free is still ahead in its stream: the chunk as it will be, freed. */
bool gasan_ordered_find(uint64_t address, struct gasan_chunk *chunk);

/* cudaFreeAsync and cuMemFreeAsync. meant: what `stream`, as it is given to `real`, stands for. */
typedef cudaError_t (*gasan_ordered_free_function)(void *pointer, cudaStream_t stream);
cudaError_t gasan_ordered_free(const char *api, void *pointer, cudaStream_t stream, cudaStream_t meant,
                               gasan_ordered_free_function real);

/* The chunk is freed: its pool (CUDA's) uses less. */
void gasan_ordered_forget(uint64_t address);

#endif
