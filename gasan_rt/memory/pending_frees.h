/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frees that a stream has not come to yet.
 *
 * CUDA promises nothing of the memory from the call of cudaFreeAsync on: copies and sets are checked as if it were
 * freed at once. Kernels that were launched before may still use it, so its shadow is poisoned when their stream is
 * done with them: an event says so, at which every call that launches, waits or allocates looks.
 *
 * Any thread. One lock (`lock`), under which CUDA is asked for events and nothing else is called. */
#ifndef GASAN_RT_PENDING_FREES_H
#define GASAN_RT_PENDING_FREES_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "pool/pool.h"

struct gasan_rt_device;

/* The chunk is freed when the stream has done what it has now. False: the stream is another device's, or has failed,
 * and the caller waits instead. */
bool gasan_pending_frees_add(struct gasan_rt_device *owner, struct gasan_pool_caller caller, struct gasan_chunk chunk,
                             cudaStream_t stream);

/* Makes the frees whose streams have come to them. Never waits; does nothing while a stream captures. */
void gasan_pending_frees_poll(void);

/* Before a launch into the stream: waits a moment (report_wait_ms) for those frees that are ahead of it, once for each
 * free. A stream that then still works may be waiting for the host, and the kernel runs unpoisoned. */
void gasan_pending_frees_settle(cudaStream_t stream);

/* The same for all streams. */
void gasan_pending_frees_settle_all(void);

/* If the address is in a chunk whose free is still ahead in its stream: the chunk as it will be, freed. */
bool gasan_pending_frees_find(uint64_t address, struct gasan_chunk *chunk);

#endif
