/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA runtime API of the CPU device: for each name in api.inc a function gasan_cpu_<name>, never exported, that
 * struct gasan_device_kind's api() finds by name. Work is done when a call returns; what a kernel did wrong becomes the
 * error of the next synchronising call, as on a GPU. */
#ifndef GASAN_DEVICE_CPU_API_H
#define GASAN_DEVICE_CPU_API_H

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "device/cpu/images.h"

#define GASAN_CPU_DEVICE_NAME "gasan CPU device"
#define GASAN_CPU_CUDA_VERSION 13000

/* What the host compiler's registration code calls; no CUDA header declares these for C. */
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread_id, uint3 *block_id, dim3 *block_dim, dim3 *grid_dim, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream);

/* Every function has the type of the name that it stands for. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#define GASAN_CPU_API(name) __typeof__(name) gasan_cpu_##name;
#define GASAN_CPU_API_ALIAS(alias, name)
#include "device/cpu/api.inc"
#undef GASAN_CPU_API
#undef GASAN_CPU_API_ALIAS
#define GASAN_CPU_CAPTURED_PLAIN(name) __typeof__(name) gasan_cpu_captured_##name;
#define GASAN_CPU_CAPTURED(name) __typeof__(name) gasan_cpu_captured_##name, gasan_cpu_captured_##name##_ptsz;
#define GASAN_CPU_CAPTURED_WAITING(name) __typeof__(name) gasan_cpu_captured_##name, gasan_cpu_captured_##name##_ptds;
#include "device/cpu/captured.inc"
#undef GASAN_CPU_CAPTURED
#undef GASAN_CPU_CAPTURED_PLAIN
#undef GASAN_CPU_CAPTURED_WAITING
#pragma clang diagnostic pop

void *gasan_cpu_api_find(const char *symbol);

/* api_error.c. The error of the calling thread's last failed call; an error of the device is sticky: every later call
 * fails with it, until cudaDeviceReset. */

/* Notes the error (unless it is cudaSuccess) and returns it. */
cudaError_t gasan_cpu_result(cudaError_t error);
/* A kernel failed: the next synchronising call says so. */
void gasan_cpu_set_pending_error(cudaError_t error);
/* What a call that waits for the device begins with; not cudaSuccess: it fails with that. */
cudaError_t gasan_cpu_synchronize(void);
/* The device's sticky error, for calls that wait for nothing. */
cudaError_t gasan_cpu_check(void);
/* True if a kernel has failed and work given from now on is not done any more. */
bool gasan_cpu_device_failed(void);
/* The device's error, noticed by the program or not, 0: none. */
int gasan_cpu_device_error(void);
void gasan_cpu_clear_errors(void);

/* api_launch.c. Kernels and copies exclude each other, whichever threads they come from: as in one stream. */
void gasan_cpu_device_lock(void);
void gasan_cpu_device_unlock(void);
bool gasan_cpu_launch_running(void);
/* A kernel of this stream runs now, launched by another thread. */
bool gasan_cpu_launch_running_in(cudaStream_t stream);
/* The number of the calling thread's next launch, 0: none was given; a graph's kernels have the numbers from there on.
 */
void gasan_cpu_set_launch_id(uint64_t id);
uint64_t gasan_cpu_launch_id(void);
/* May the function be launched in this shape? */
cudaError_t gasan_cpu_launch_check(const struct gasan_cpu_function *function, dim3 grid, dim3 block, size_t shared);

/* api_stream.c */
bool gasan_cpu_stream_valid(cudaStream_t stream);
/* What a call that gives work to the stream begins with: the handle's error, or the device's sticky one. */
cudaError_t gasan_cpu_check_stream(cudaStream_t stream);

/* api_copy.c. The part of a variable that a copy names; NULL: *error, which is noted, says why there is none. */
char *gasan_cpu_symbol_part(const void *symbol, size_t offset, size_t size, cudaError_t *error);

/* api_function.c. Most threads of a block and most dynamic shared memory that the function may be launched with now. */
unsigned gasan_cpu_function_threads(const struct gasan_cpu_function *function);
size_t gasan_cpu_function_dynamic_shared(const struct gasan_cpu_function *function);
/* Blocks of this shape that one multiprocessor holds at a time. */
int gasan_cpu_function_occupancy(const struct gasan_cpu_function *function, unsigned threads, size_t dynamic_shared);

/* api_pool.c: an allocation from pool `number` is gone. */
void gasan_cpu_pool_give_back(uint32_t number, size_t size);

/* api_managed.c: a managed allocation is gone. */
void gasan_cpu_managed_forget(const void *pointer);

/* api_properties.c: the value of an attribute, 0 where it says nothing of this device. */
int gasan_cpu_attribute(enum cudaDeviceAttr attribute);

#endif
