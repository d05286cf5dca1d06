/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The device's limits (cudaDeviceSetLimit). Any thread. */
#ifndef GASAN_DEVICE_CPU_LIMITS_H
#define GASAN_DEVICE_CPU_LIMITS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#define GASAN_CPU_LIMITS (cudaLimitPersistingL2CacheSize + 1)
#define GASAN_CPU_LARGEST_STACK (512u << 10) /* most bytes of local memory that a thread has on every GPU */

/* Returns and sets a limit, which is below GASAN_CPU_LIMITS. */
size_t gasan_cpu_limit(enum cudaLimit limit);
void gasan_cpu_limit_set(enum cudaLimit limit, size_t value);
/* Sets all limits to CUDA's defaults. */
void gasan_cpu_limits_reset(void);
/* Returns the bytes of a CUDA thread's stack under the present limit, a multiple of the page size. */
uint32_t gasan_cpu_stack_size(void);

#endif
