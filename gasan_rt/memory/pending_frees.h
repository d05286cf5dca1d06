/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tracks frees by cudaFreeAsync that their stream has not reached yet.
 *
 * From the call of cudaFreeAsync on, CUDA promises nothing about the memory, so copies and sets are checked as if it
 * were freed. Kernels that were launched before may still use the memory. So its shadow is poisoned only when the
 * stream has finished these kernels, which an event shows. Every call that launches, waits or allocates queries these
 * events.
 *
 * Any thread. One lock (`lock`), under which only CUDA's event functions are called. */
#ifndef GASAN_RT_PENDING_FREES_H
#define GASAN_RT_PENDING_FREES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool/pool.h"

struct gasan_rt_device;

/* Frees the chunk when the stream has finished its present work. Returns false if the stream belongs to another device
 * or has failed; the caller must then wait and free the chunk. */
bool gasan_pending_frees_add(struct gasan_rt_device *owner, struct gasan_pool_caller caller, struct gasan_chunk chunk,
                             cudaStream_t stream);

/* Performs the frees that their streams have reached, and those of regions (suballocators.h). Never waits. Does
 * nothing while a stream captures. */
void gasan_pending_frees_poll(void);

/* Must be called before a launch into the stream. Waits up to report_wait_ms for the frees that precede the launch,
 * once for each free, and for those of regions. If the stream is still busy after that, it may be waiting for the host;
 * then the kernel runs although the memory is not poisoned yet. */
void gasan_pending_frees_settle(cudaStream_t stream);

/* Does the same for the frees of all streams. */
void gasan_pending_frees_settle_all(void);

/* Returns true if the address is in a chunk with a pending free; then sets *chunk to the chunk as freed. */
bool gasan_pending_frees_find(uint64_t address, struct gasan_chunk *chunk);

#endif
