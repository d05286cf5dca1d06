/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes and occupancy of kernels. */
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/engine.h"

#define REGISTERS_PER_THREAD 32 /* CPU images use none; with this number every block can run */

unsigned gasan_cpu_function_threads(const struct gasan_cpu_function *function) {
  return function->kernel->max_threads ? function->kernel->max_threads : GASAN_CPU_BLOCK_THREADS;
}

size_t gasan_cpu_function_dynamic_shared(const struct gasan_cpu_function *function) {
  if (function->most_dynamic_shared >= 0)
    return (size_t)function->most_dynamic_shared;
  uint64_t fixed = function->kernel->static_shared;
  return fixed < GASAN_CPU_SHARED_DEFAULT ? GASAN_CPU_SHARED_DEFAULT - fixed : 0;
}

int gasan_cpu_function_occupancy(const struct gasan_cpu_function *function, unsigned threads, size_t dynamic_shared) {
  if (!threads || threads > gasan_cpu_function_threads(function) ||
      dynamic_shared > gasan_cpu_function_dynamic_shared(function))
    return 0;
  size_t shared = function->kernel->static_shared + dynamic_shared + GASAN_CPU_SHARED_RESERVED;
  size_t by_shared = (size_t)gasan_cpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / shared;
  size_t by_threads = (size_t)gasan_cpu_attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / ((threads + 31) / 32 * 32);
  size_t blocks = (size_t)gasan_cpu_attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  if (by_threads < blocks)
    blocks = by_threads;
  return (int)(by_shared < blocks ? by_shared : blocks);
}

/* Returns the function. NULL: sets and notes *error, the reason. */
static struct gasan_cpu_function *find(const void *host, cudaError_t *error) {
  *error = gasan_cpu_check();
  if (*error != cudaSuccess)
    return NULL;
  struct gasan_cpu_function *function = gasan_cpu_function_find(host);
  if (!function)
    *error = gasan_cpu_result(cudaErrorInvalidResourceHandle);
  return function;
}

cudaError_t gasan_cpu_cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host) {
  cudaError_t error;
  struct gasan_cpu_function *function = find(host, &error);
  if (!function)
    return error;
  if (!attributes)
    return gasan_cpu_result(cudaErrorInvalidValue);
  int arch = (int)gasan_cpu_images_arch();
  memset(attributes, 0, sizeof *attributes);
  attributes->sharedSizeBytes = function->kernel->static_shared;
  attributes->maxThreadsPerBlock = (int)gasan_cpu_function_threads(function);
  attributes->numRegs = REGISTERS_PER_THREAD;
  attributes->ptxVersion = arch;
  attributes->binaryVersion = arch;
  attributes->maxDynamicSharedSizeBytes = (int)gasan_cpu_function_dynamic_shared(function);
  attributes->preferredShmemCarveout = function->carveout;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute attribute, int value) {
  cudaError_t error;
  struct gasan_cpu_function *function = find(host, &error);
  if (!function)
    return error;
  switch (attribute) {
  case cudaFuncAttributeMaxDynamicSharedMemorySize:
    if (value < 0 || function->kernel->static_shared + (uint64_t)value > GASAN_CPU_SHARED_LIMIT)
      return gasan_cpu_result(cudaErrorInvalidValue);
    function->most_dynamic_shared = value;
    return cudaSuccess;
  case cudaFuncAttributePreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return gasan_cpu_result(cudaErrorInvalidValue);
    function->carveout = value;
    return cudaSuccess;
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
  case cudaFuncAttributeClusterSchedulingPolicyPreference:
    return cudaSuccess; /* there are no clusters */
  default:
    return gasan_cpu_result(cudaErrorInvalidValue);
  }
}

cudaError_t gasan_cpu_cudaFuncGetName(const char **name, const void *host) {
  cudaError_t error;
  struct gasan_cpu_function *function = find(host, &error);
  if (!function)
    return error;
  if (!name)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *name = function->kernel->name;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config) {
  cudaError_t error;
  find(host, &error);
  return error;
}

cudaError_t gasan_cpu_cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config) {
  cudaError_t error;
  find(host, &error);
  return error;
}

cudaError_t gasan_cpu_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int threads,
                                                                    size_t dynamic_shared) {
  cudaError_t error;
  struct gasan_cpu_function *function = find(host, &error);
  if (!function)
    return error;
  if (!blocks || threads <= 0)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *blocks = gasan_cpu_function_occupancy(function, (unsigned)threads, dynamic_shared);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int threads,
                                                                             size_t dynamic_shared, unsigned flags) {
  return gasan_cpu_cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, threads, dynamic_shared);
}

cudaError_t gasan_cpu_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared, const void *host, int blocks,
                                                                int threads) {
  cudaError_t error;
  struct gasan_cpu_function *function = find(host, &error);
  if (!function)
    return error;
  if (!dynamic_shared || blocks <= 0 || threads <= 0)
    return gasan_cpu_result(cudaErrorInvalidValue);
  size_t share = (size_t)gasan_cpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (size_t)blocks;
  size_t fixed = function->kernel->static_shared + GASAN_CPU_SHARED_RESERVED;
  size_t left = share > fixed ? share - fixed : 0;
  size_t most = gasan_cpu_function_dynamic_shared(function);
  *dynamic_shared = left < most ? left : most;
  return cudaSuccess;
}
