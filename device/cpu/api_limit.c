/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* cudaDeviceGetLimit and cudaDeviceSetLimit. */
#include "device/cpu/api.h"
#include "device/cpu/limits.h"

cudaError_t gasan_cpu_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  if (!value)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if ((unsigned)limit >= GASAN_CPU_LIMITS)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *value = gasan_cpu_limit(limit);
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if ((unsigned)limit >= GASAN_CPU_LIMITS)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (limit == cudaLimitStackSize && value > GASAN_CPU_LARGEST_STACK)
    return gasan_cpu_result(cudaErrorInvalidValue);
  gasan_cpu_limit_set(limit, value);
  return gasan_cpu_check();
}
