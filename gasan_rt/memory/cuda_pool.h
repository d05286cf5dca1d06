/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records the memory pools of CUDA (cudaMemPool_t) in whose place our pool allocates, and their statistics. Any thread.
 * One lock (`lock`), under which CUDA's functions for pools are called.
 *
 * A cudaMemPool_t remains CUDA's object with all its attributes, but our pool allocates in its place. Exception: pools
 * to which other processes or other devices have access, because only CUDA can give that access. Allocations are added
 * to the statistics of the handle. cudaMemPoolTrimTo releases nothing, because freed memory belongs to the
 * quarantine. */
#ifndef GASAN_RT_CUDA_POOL_H
#define GASAN_RT_CUDA_POOL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns true if our pool allocates in place of this pool; then sets *ordinal to the device. */
bool gasan_cuda_pool_is_ours(cudaMemPool_t pool, int *ordinal);

/* Count bytes that our pool has allocated for the handle, and the free of these bytes. */
void gasan_cuda_pool_took(cudaMemPool_t pool, uint64_t address, uint64_t size);
void gasan_cuda_pool_gave_back(uint64_t address);

/* Must be called after CUDA has created the pool; after CUDA has destroyed the pool, whose handle it may reuse; and
 * after the program has given other devices or processes access to the pool. */
void gasan_cuda_pool_created(cudaMemPool_t pool, const struct cudaMemPoolProps *properties);
void gasan_cuda_pool_destroyed(cudaMemPool_t pool);
void gasan_cuda_pool_opened(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count);

/* Adds the bytes that our pool allocated for the handle to CUDA's value of an attribute. If the program has set a
 * high-water mark, resets it. */
void gasan_cuda_pool_add_use(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
void gasan_cuda_pool_reset_high(cudaMemPool_t pool, enum cudaMemPoolAttr attribute);

#endif
