/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frees by cudaFreeAsync that their stream has not reached yet.
 *
 * From the call of cudaFreeAsync on, CUDA promises nothing about the memory, so copies and sets are checked as if it
 * were freed. Kernels that were launched before may still use the memory. So its shadow is poisoned when the stream has
 * finished them, which an event shows. Every call that launches, waits or allocates queries these events.
 *
 * Any thread. One lock (`lock`), under which CUDA's event functions are called and nothing else. */
#ifndef GASAN_RT_PENDING_FREES_H
#define GASAN_RT_PENDING_FREES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool/pool.h"

struct gasan_rt_device;

/* Frees the chunk when the stream has done its present work. Returns false if the stream belongs to another device or
 * has failed; the caller then waits instead. */
bool gasan_pending_frees_add(struct gasan_rt_device *owner, struct gasan_pool_caller caller, struct gasan_chunk chunk,
                             cudaStream_t stream);

/* Does the frees that their streams have reached. Never waits. Does nothing while a stream captures. */
void gasan_pending_frees_poll(void);

/* Call before a launch into the stream. Waits up to report_wait_ms for the frees that are ahead of the launch, once for
 * each free. If the stream still works after that, it may be waiting for the host; then the kernel runs without the
 * poison. */
void gasan_pending_frees_settle(cudaStream_t stream);

/* The same for all streams. */
void gasan_pending_frees_settle_all(void);

/* Returns true if the address is in a chunk with a pending free; *chunk is then the chunk as freed. */
bool gasan_pending_frees_find(uint64_t address, struct gasan_chunk *chunk);

#endif
