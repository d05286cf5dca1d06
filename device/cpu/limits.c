/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stores the device's limits. Only the limits of a thread's stack, the device's heap and printf's buffer have an
 * effect. */
#include "device/cpu/limits.h"

#include <stdatomic.h>

#include "device/cpu/fiber.h"

#define STACK_PAGE (16u << 10)

static const size_t defaults[GASAN_CPU_LIMITS] = {
    [cudaLimitStackSize] = 1024,
    [cudaLimitPrintfFifoSize] = 1 << 20,
    [cudaLimitMallocHeapSize] = 8 << 20,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
};
static _Atomic size_t changed[GASAN_CPU_LIMITS]; /* the limit plus 1; 0: the default */

size_t gasan_cpu_limit(enum cudaLimit limit) {
  size_t value = atomic_load_explicit(&changed[limit], memory_order_relaxed);
  return value ? value - 1 : defaults[limit];
}

void gasan_cpu_limit_set(enum cudaLimit limit, size_t value) {
  atomic_store(&changed[limit], value + 1);
}

void gasan_cpu_limits_reset(void) {
  for (int i = 0; i < GASAN_CPU_LIMITS; i++)
    atomic_store(&changed[i], 0);
}

/* x86 code needs more stack than GPU code, which keeps most of a frame in registers. */
uint32_t gasan_cpu_stack_size(void) {
  size_t size = 2 * gasan_cpu_limit(cudaLimitStackSize);
  return size <= GASAN_CPU_STACK_SIZE ? GASAN_CPU_STACK_SIZE
                                      : (uint32_t)((size + STACK_PAGE - 1) / STACK_PAGE * STACK_PAGE);
}
