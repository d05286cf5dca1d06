/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA's memory pools: which of them our pool stands in for, and what they say they use. Any thread.
 *
 * A cudaMemPool_t stays CUDA's object with all its attributes, but gives out no memory: our pool does, unless other
 * processes or other devices are to reach it, which only CUDA's own can arrange. What was allocated is added to what
 * the handle counts. Trimming finds nothing: what is freed is the quarantine's, not the handle's. */
#ifndef GASAN_RT_CUDA_POOL_H
#define GASAN_RT_CUDA_POOL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* True: our pool of this device gives out what is asked from the handle. */
bool gasan_cuda_pool_is_ours(cudaMemPool_t pool, int *ordinal);

/* Our pool gave these bytes out for the handle; they come back. */
void gasan_cuda_pool_took(cudaMemPool_t pool, uint64_t address, uint64_t size);
void gasan_cuda_pool_gave_back(uint64_t address);

/* CUDA has created the pool; has destroyed it, and may give its handle again; lets other devices or processes reach its
 * memory. */
void gasan_cuda_pool_created(cudaMemPool_t pool, const struct cudaMemPoolProps *properties);
void gasan_cuda_pool_destroyed(cudaMemPool_t pool);
void gasan_cuda_pool_opened(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count);

/* Adds what our pool gave out for the handle to what CUDA says of an attribute; the program sets an attribute. */
void gasan_cuda_pool_add_use(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
void gasan_cuda_pool_reset_high(cudaMemPool_t pool, enum cudaMemPoolAttr attribute);

#endif
