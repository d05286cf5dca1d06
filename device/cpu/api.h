/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The CUDA runtime API of the CPU device. Each name in api.inc has a function gasan_cpu_<name>, which is not exported;
 * struct gasan_device_kind's api() finds it by name. When a call returns, its work is complete. As on a GPU, a kernel's
 * error is returned by the next synchronising call.
 *
 * Any thread. The device's lock (api_launch.c) orders kernels and copies. */
#ifndef GASAN_DEVICE_CPU_API_H
#define GASAN_DEVICE_CPU_API_H

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "device/cpu/images.h"

#define GASAN_CPU_DEVICE_NAME "gasan CPU device"
#define GASAN_CPU_CUDA_VERSION 13000

/* Functions that the host compiler's registration code calls. No CUDA header declares them for C. */
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

/* Each function has the type of the CUDA function. */
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

/* Returns the function for a symbol, or NULL. */
void *gasan_cpu_api_find(const char *symbol);

/* api_error.c. Each thread stores the error of its last failed call. An error of the device is sticky: after the
 * program has seen it, every call fails with it until cudaDeviceReset. */

/* Sets the thread's last error. */
void gasan_cpu_set_last_error(cudaError_t error);
/* Notes the error as the thread's last error, unless it is cudaSuccess. Returns it. */
static inline cudaError_t gasan_cpu_result(cudaError_t error) {
  if (error != cudaSuccess)
    gasan_cpu_set_last_error(error);
  return error;
}
/* Stores a kernel's error. The next synchronising call returns it. */
void gasan_cpu_set_pending_error(cudaError_t error);
/* Begins a call that waits for the device. If the result is not cudaSuccess, the call must return the result. */
cudaError_t gasan_cpu_synchronize(void);
/* Notes and returns the device's sticky error. Called at the beginning or the end of a call that does not wait. */
cudaError_t gasan_cpu_check(void);
/* Returns true if a kernel has failed. The caller must then not do new work. */
bool gasan_cpu_device_failed(void);
/* Returns the device's error, even if the program has not seen it yet. 0: none. */
int gasan_cpu_device_error(void);
/* Clears the device's errors and the calling thread's last error. */
void gasan_cpu_clear_errors(void);

/* api_launch.c. The device's lock makes kernels and copies of all threads exclude each other, as in one stream. */

void gasan_cpu_device_lock(void);
void gasan_cpu_device_unlock(void);
/* Returns true while a kernel runs. */
bool gasan_cpu_launch_running(void);
/* Returns true while a kernel of this stream runs that another thread has launched. */
bool gasan_cpu_launch_running_in(cudaStream_t stream);
/* Set and get the number of the calling thread's next launch; 0: not set. The kernels of a graph are numbered from it
 * on. */
void gasan_cpu_set_launch_id(uint64_t id);
uint64_t gasan_cpu_launch_id(void);
/* Returns the error of a launch with this shape, or cudaSuccess. */
cudaError_t gasan_cpu_launch_check(const struct gasan_cpu_function *function, dim3 grid, dim3 block, size_t shared);

/* api_stream.c */
bool gasan_cpu_stream_valid(cudaStream_t stream);
/* Begins a call that adds work to the stream: notes and returns the error of an invalid handle, or the sticky error. */
cudaError_t gasan_cpu_check_stream(cudaStream_t stream);

/* api_copy.c. Returns the part of a variable that a copy names. NULL: sets and notes *error, the reason. */
char *gasan_cpu_symbol_part(const void *symbol, size_t offset, size_t size, cudaError_t *error);

/* api_function.c. Return the greatest number of threads of a block, and of bytes of dynamic shared memory, that a
 * launch of the function may have now. */
unsigned gasan_cpu_function_threads(const struct gasan_cpu_function *function);
size_t gasan_cpu_function_dynamic_shared(const struct gasan_cpu_function *function);
/* Returns the number of such blocks that fit on a multiprocessor at the same time. */
int gasan_cpu_function_occupancy(const struct gasan_cpu_function *function, unsigned threads, size_t dynamic_shared);

/* api_pool.c. Must be called after an allocation of pool `number` was freed. */
void gasan_cpu_pool_give_back(uint32_t number, size_t size);

/* api_managed.c. Must be called after a managed allocation was freed. */
void gasan_cpu_managed_forget(const void *pointer);

/* api_properties.c. Returns an attribute of the device; 0 for attributes that it does not have. */
int gasan_cpu_attribute(enum cudaDeviceAttr attribute);

#endif
