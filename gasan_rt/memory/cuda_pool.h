/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory pools of CUDA (cudaMemPool_t) in whose place our pool allocates, and their statistics. Any thread.
 *
 * A cudaMemPool_t stays CUDA's object with all its attributes, but our pool allocates in its place. Exception: pools
 * that other processes or other devices use, because only CUDA can arrange that access. Allocations are added to the
 * statistics of the handle. cudaMemPoolTrimTo releases nothing, because freed memory belongs to the quarantine. */
#ifndef GASAN_RT_CUDA_POOL_H
#define GASAN_RT_CUDA_POOL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns true if our pool allocates in place of this one; *ordinal is then the device. */
bool gasan_cuda_pool_is_ours(cudaMemPool_t pool, int *ordinal);

/* Count bytes that our pool has allocated for the handle, and their free. */
void gasan_cuda_pool_took(cudaMemPool_t pool, uint64_t address, uint64_t size);
void gasan_cuda_pool_gave_back(uint64_t address);

/* Call after CUDA has created the pool; after it has destroyed the pool, whose handle it may reuse; and after the
 * program has given other devices or processes access to it. */
void gasan_cuda_pool_created(cudaMemPool_t pool, const struct cudaMemPoolProps *properties);
void gasan_cuda_pool_destroyed(cudaMemPool_t pool);
void gasan_cuda_pool_opened(cudaMemPool_t pool, const struct cudaMemAccessDesc *accesses, size_t count);

/* Adds the bytes that our pool allocated for the handle to CUDA's value of an attribute; resets a high-water mark that
 * the program sets. */
void gasan_cuda_pool_add_use(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
void gasan_cuda_pool_reset_high(cudaMemPool_t pool, enum cudaMemPoolAttr attribute);

#endif
