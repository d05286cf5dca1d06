/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernel launches. */
#include <pthread.h>
#include <stdatomic.h>

#include "device/cpu/api.h"
#include "device/cpu/engine.h"
#include "device/cpu/limits.h"
#include "device/cpu/print.h"

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int launches_running;
static _Atomic(cudaStream_t) running_stream; /* of the launch that has the lock */
static __thread uint64_t next_launch_id;

void gasan_cpu_device_lock(void) {
  pthread_mutex_lock(&device_lock);
}

void gasan_cpu_device_unlock(void) {
  pthread_mutex_unlock(&device_lock);
}

bool gasan_cpu_launch_running(void) {
  return atomic_load(&launches_running) != 0;
}

/* cudaStreamPerThread is a different stream in each thread, and the calling thread's launches are complete. */
bool gasan_cpu_launch_running_in(cudaStream_t stream) {
  return gasan_cpu_launch_running() && stream != cudaStreamPerThread &&
         atomic_load(&running_stream) == (stream == cudaStreamLegacy ? NULL : stream);
}

void gasan_cpu_set_launch_id(uint64_t id) {
  next_launch_id = id;
}

uint64_t gasan_cpu_launch_id(void) {
  return next_launch_id;
}

/* Returns the same errors as CUDA 13.0 on an H200. CUDA's documentation names cudaErrorInvalidConfiguration for
 * shapes. */
cudaError_t gasan_cpu_launch_check(const struct gasan_cpu_function *function, dim3 grid, dim3 block, size_t shared) {
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z)
    return cudaErrorInvalidValue;
  if (grid.x > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxGridDimX) ||
      grid.y > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxGridDimY) ||
      grid.z > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxGridDimZ))
    return cudaErrorInvalidValue;
  if (block.x > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxBlockDimX) ||
      block.y > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxBlockDimY) ||
      block.z > (unsigned)gasan_cpu_attribute(cudaDevAttrMaxBlockDimZ))
    return cudaErrorInvalidValue;
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (threads > GASAN_CPU_BLOCK_THREADS)
    return cudaErrorInvalidValue;
  if (threads > gasan_cpu_function_threads(function))
    return cudaErrorLaunchOutOfResources;
  if (shared > gasan_cpu_function_dynamic_shared(function))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

static cudaError_t check_cooperative(const struct gasan_cpu_function *function, dim3 grid, dim3 block, size_t shared) {
  uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
  uint64_t resident = (uint64_t)gasan_cpu_function_occupancy(function, block.x * block.y * block.z, shared) *
                      (uint64_t)gasan_cpu_attribute(cudaDevAttrMultiProcessorCount);
  return blocks > resident ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

static void run(const struct gasan_cpu_kernel *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                cudaStream_t stream, bool cooperative) {
  struct gasan_cpu_launch launch = {
      .kernel = kernel,
      .arguments = arguments,
      .grid = {grid.x, grid.y, grid.z},
      .block = {block.x, block.y, block.z},
      .dynamic_shared = (uint32_t)shared,
      .stack_size = gasan_cpu_stack_size(),
      .cooperative = cooperative,
      .grid_id = next_launch_id,
  };
  next_launch_id = 0;
  gasan_cpu_print_flush();
  gasan_cpu_device_lock();
  atomic_store(&running_stream, stream == cudaStreamLegacy ? NULL : stream);
  atomic_fetch_add(&launches_running, 1);
  int error = gasan_cpu_engine_run(&launch);
  atomic_fetch_sub(&launches_running, 1);
  gasan_cpu_device_unlock();
  if (error)
    gasan_cpu_set_pending_error((cudaError_t)error);
}

static cudaError_t launch(const void *host, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream,
                          bool cooperative) {
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  struct gasan_cpu_function *function = gasan_cpu_function_find(host);
  if (!function)
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  error = gasan_cpu_launch_check(function, grid, block, shared);
  if (error == cudaSuccess && cooperative)
    error = check_cooperative(function, grid, block, shared);
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  if (!gasan_cpu_device_failed())
    run(function->kernel, grid, block, arguments, shared, stream, cooperative);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                       cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}

cudaError_t gasan_cpu_cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                                  size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}

/* Ignores attributes that only tune. Every block is a cluster of one block. */
cudaError_t gasan_cpu_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  if (!config || (config->numAttrs && !config->attrs))
    return gasan_cpu_result(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute *attribute = &config->attrs[i];
    if (attribute->id == cudaLaunchAttributeCooperative)
      cooperative = attribute->val.cooperative;
    if (attribute->id == cudaLaunchAttributeClusterDimension &&
        (uint64_t)attribute->val.clusterDim.x * attribute->val.clusterDim.y * attribute->val.clusterDim.z > 1)
      return gasan_cpu_result(cudaErrorInvalidClusterSize);
  }
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                cooperative);
}

/* Handles of kernels and functions are the host functions themselves. */
cudaError_t gasan_cpu_cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                                      int device) {
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  return gasan_cpu_cudaFuncSetAttribute(kernel, attribute, value);
}

cudaError_t gasan_cpu___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                         cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, false);
}

cudaError_t gasan_cpu_cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  if (!kernel)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!gasan_cpu_function_find(host))
    return gasan_cpu_result(cudaErrorInvalidDeviceFunction); /* calls with a kernel return InvalidResourceHandle */
  *kernel = (cudaKernel_t)host;
  return cudaSuccess;
}

cudaError_t gasan_cpu___cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return gasan_cpu_cudaGetKernel(kernel, host);
}

cudaError_t gasan_cpu_cudaGetFuncBySymbol(cudaFunction_t *function, const void *host) {
  return gasan_cpu_cudaGetKernel((cudaKernel_t *)function, host);
}
