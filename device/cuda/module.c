/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds variables and other kernels of a device image through a kernel that the program registered. */
#include "base/check.h"
#include "device/cuda/gpu.h"

static CUresult find_symbol(CUfunction function, const char *name, uint64_t *address, uint64_t *size) {
  CUmodule module;
  CUresult result = CU(cuFuncGetModule)(&module, function);
  if (result != CUDA_SUCCESS)
    return result;
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  result = CU(cuModuleGetGlobal)(&variable, &bytes, module, name);
  *address = variable;
  *size = bytes;
  return result;
}

/* A handle is a CUfunction, or a CUkernel in its place. */
static CUresult module_of(const void *handle, CUmodule *module) {
  CUfunction function = (CUfunction)(uintptr_t)handle;
  CUresult result = CU(cuFuncGetModule)(module, function);
  if (result != CUDA_SUCCESS && CU(cuKernelGetFunction)(&function, (CUkernel)(uintptr_t)handle) == CUDA_SUCCESS)
    result = CU(cuFuncGetModule)(module, function);
  return result;
}

struct gasan_status gasan_cuda_function_symbol(struct gasan_device *device, const void *function, const char *name,
                                               uint64_t *address, uint64_t *size) {
  struct gasan_cuda_scope scope;
  CUmodule module;
  CUdeviceptr variable = 0;
  size_t bytes = 0;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  CUresult result = module_of(function, &module);
  if (result == CUDA_SUCCESS)
    result = CU(cuModuleGetGlobal)(&variable, &bytes, module, name);
  gasan_cuda_leave(&scope);
  *address = variable;
  *size = bytes;
  return result == CUDA_ERROR_NOT_FOUND ? gasan_status_driver(GASAN_ERR_NOT_FOUND, result) : gasan_cuda_status(result);
}

struct gasan_status gasan_cuda_function_variant(struct gasan_device *device, const void *function, const char *name,
                                                const void **variant, uint32_t *most_threads) {
  struct gasan_cuda_scope scope;
  CUmodule module;
  CUfunction found = NULL;
  int threads = 0;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  CUresult result = module_of(function, &module);
  if (result == CUDA_SUCCESS)
    result = CU(cuModuleGetFunction)(&found, module, name);
  if (result == CUDA_SUCCESS)
    result = CU(cuFuncGetAttribute)(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, found);
  gasan_cuda_leave(&scope);
  *variant = found;
  *most_threads = (uint32_t)threads;
  return result == CUDA_ERROR_NOT_FOUND ? gasan_status_driver(GASAN_ERR_NOT_FOUND, result) : gasan_cuda_status(result);
}

struct gasan_status gasan_cuda_symbol(struct gasan_device *device, const void *kernel, const char *name,
                                      uint64_t *address, uint64_t *size) {
  struct gasan_cuda_scope scope;
  if (!gasan_cuda_need_runtime())
    return gasan_status_make(GASAN_ERR_NOT_FOUND);
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  /* The runtime loads the image into the current context if it is not loaded yet. */
  cudaFunction_t function = NULL;
  bool clean = gasan_cuda_runtime.cudaPeekAtLastError() == cudaSuccess;
  cudaError_t error = gasan_cuda_runtime.cudaGetFuncBySymbol(&function, kernel);
  if (error == cudaSuccess)
    status = gasan_cuda_status(find_symbol((CUfunction)function, name, address, size));
  else
    status =
        gasan_status_driver(error == cudaErrorInvalidDeviceFunction ? GASAN_ERR_NOT_FOUND : GASAN_ERR_DEVICE, error);
  if (error != cudaSuccess && clean)
    gasan_cuda_runtime.cudaGetLastError(); /* our failure must not become the program's last error */
  gasan_cuda_leave(&scope);
  return status;
}

/* Finds a kernel of the same image. A cudaKernel_t is a CUkernel, and runtime calls that take a host function accept
 * it, too (CUDA Runtime API, 6.7 and 6.41). It belongs to no context. Loading it into the current context may fail;
 * then it fails here, and not at the first launch. */
static CUresult find_variant(CUkernel kernel, const char *name, CUkernel *variant, int *most_threads) {
  CUlibrary library;
  CUfunction loaded;
  CUresult result = CU(cuKernelGetLibrary)(&library, kernel);
  if (result == CUDA_SUCCESS)
    result = CU(cuLibraryGetKernel)(variant, library, name);
  if (result == CUDA_SUCCESS)
    result = CU(cuKernelGetFunction)(&loaded, *variant);
  if (result == CUDA_SUCCESS)
    result = CU(cuFuncGetAttribute)(most_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, loaded);
  return result;
}

static CUresult load(const char *image, const char *const *names, int count, CUfunction *functions) {
  CUmodule module;
  CUresult result = CU(cuModuleLoadData)(&module, image);
  for (int i = 0; i < count && result == CUDA_SUCCESS; i++) {
    result = CU(cuModuleGetFunction)(&functions[i], module, names[i]);
    /* Else the first launch would load the kernel, and might wait for the kernels of the program. */
    int registers = 0;
    if (result == CUDA_SUCCESS)
      result = CU(cuFuncGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[i]);
  }
  return result;
}

struct gasan_status gasan_cuda_load(struct gasan_device *device, const char *image, const char *const *names, int count,
                                    const void **functions) {
  struct gasan_cuda_scope scope;
  CUfunction loaded[8];
  GASAN_CHECK(count <= 8);
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  status = gasan_cuda_status(load(image, names, count, loaded));
  gasan_cuda_leave(&scope);
  for (int i = 0; i < count && gasan_ok(status); i++)
    functions[i] = loaded[i];
  return status;
}

/* Launches the kernel. Fails in another context, or without one; the caller then launches by libcudart. */
struct gasan_status gasan_cuda_launch(struct gasan_device *device, const void *function, const uint32_t grid[3],
                                      const uint32_t block[3], uint64_t shared, void *stream, void **arguments) {
  CUcontext current = NULL;
  if (CU(cuCtxGetCurrent)(&current) != CUDA_SUCCESS || !current || current != gasan_cuda_device_of(device)->context)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  return gasan_cuda_status(CU(cuLaunchKernel)((CUfunction)(uintptr_t)function, grid[0], grid[1], grid[2], block[0],
                                              block[1], block[2], (unsigned)shared, stream, arguments, NULL));
}

static CUresult make_aside(struct gasan_cuda_device *gpu) {
  int least, greatest;
  CUresult result = CUDA_SUCCESS;
  pthread_mutex_lock(&gpu->writes_lock);
  if (!gpu->aside) {
    result = CU(cuCtxGetStreamPriorityRange)(&least, &greatest);
    if (result == CUDA_SUCCESS)
      result = CU(cuStreamCreateWithPriority)(&gpu->aside, CU_STREAM_NON_BLOCKING, greatest);
  }
  pthread_mutex_unlock(&gpu->writes_lock);
  return result;
}

struct gasan_status gasan_cuda_launch_aside(struct gasan_device *device, const void *function, uint32_t threads,
                                            void **arguments) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gpu, &scope);
  if (!gasan_ok(status))
    return status;
  CUresult result = make_aside(gpu);
  if (result == CUDA_SUCCESS)
    result =
        CU(cuLaunchKernel)((CUfunction)(uintptr_t)function, 1, 1, 1, threads, 1, 1, 0, gpu->aside, arguments, NULL);
  gasan_cuda_leave(&scope);
  return gasan_cuda_status(result);
}

struct gasan_status gasan_cuda_variant(struct gasan_device *device, const void *kernel, const char *name,
                                       const void **function, uint32_t *most_threads) {
  struct gasan_cuda_scope scope;
  if (!gasan_cuda_need_runtime())
    return gasan_status_make(GASAN_ERR_NOT_FOUND);
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  cudaKernel_t handle = NULL;
  CUkernel variant = NULL;
  int threads = 0;
  bool clean = gasan_cuda_runtime.cudaPeekAtLastError() == cudaSuccess;
  cudaError_t error = gasan_cuda_runtime.cudaGetKernel(&handle, kernel);
  if (error == cudaSuccess)
    status = gasan_cuda_status(find_variant((CUkernel)handle, name, &variant, &threads));
  else
    status =
        gasan_status_driver(error == cudaErrorInvalidDeviceFunction ? GASAN_ERR_NOT_FOUND : GASAN_ERR_DEVICE, error);
  if (error != cudaSuccess && clean)
    gasan_cuda_runtime.cudaGetLastError();
  *function = variant;
  *most_threads = (uint32_t)threads;
  gasan_cuda_leave(&scope);
  return status;
}
