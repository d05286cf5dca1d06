/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Limits that a program sets: the size of a thread's stack, of the device's heap and of the buffer that device printf
 * fills bind; the others are kept and told. */
#include <stdatomic.h>

#include "base/round.h"
#include "device/cpu/api.h"
#include "device/cpu/engine.h"
#include "device/cpu/fiber.h"

#define LARGEST_STACK (512u << 10) /* local memory that a thread can have on every GPU */
#define STACK_PAGE (16u << 10)

enum { LIMIT_COUNT = cudaLimitPersistingL2CacheSize + 1 };

/* As CUDA begins. */
static const size_t defaults[LIMIT_COUNT] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
};
static _Atomic size_t changed[LIMIT_COUNT]; /* the limit and 1; 0: the default */

size_t gasan_cpu_limit(enum cudaLimit limit) {
  size_t value = atomic_load_explicit(&changed[limit], memory_order_relaxed);
  return value ? value - 1 : defaults[limit];
}

void gasan_cpu_limits_reset(void) {
  for (int i = 0; i < LIMIT_COUNT; i++)
    atomic_store(&changed[i], 0);
}

/* x86 code needs more stack than a GPU's, which keeps most of a frame in registers. */
uint32_t gasan_cpu_stack_size(void) {
  size_t size = 2 * gasan_cpu_limit(cudaLimitStackSize);
  return size <= GASAN_CPU_STACK_SIZE ? GASAN_CPU_STACK_SIZE : (uint32_t)gasan_round_up(size, STACK_PAGE);
}

cudaError_t gasan_cpu_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  if (!value)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if ((unsigned)limit >= LIMIT_COUNT)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *value = gasan_cpu_limit(limit);
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if ((unsigned)limit >= LIMIT_COUNT)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (limit == cudaLimitStackSize && value > LARGEST_STACK)
    return gasan_cpu_result(cudaErrorInvalidValue);
  atomic_store(&changed[limit], value + 1);
  return gasan_cpu_check();
}
