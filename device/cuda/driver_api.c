/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's answers for functions of the runtime API, for a process whose calls gasan sees at the driver API: it may
 * have no libcudart of CUDA 13, or one in the program itself. CUresult and cudaError_t share their numbers, and so do
 * the flags and attributes of these functions. */
#include <string.h>

#include "device/cuda/cuda.h"
#include "device/cuda/gpu.h"

/* The driver's function has the parameters of the runtime's. */
static const struct {
  const char *runtime, *driver;
} same[] = {
    {"cudaDeviceGetDefaultMemPool", "cuDeviceGetDefaultMemPool"},
    {"cudaDeviceGetLimit", "cuCtxGetLimit"},
    {"cudaDeviceGetMemPool", "cuDeviceGetMemPool"},
    {"cudaDeviceSynchronize", "cuCtxSynchronize"},
    {"cudaEventCreateWithFlags", "cuEventCreate"},
    {"cudaEventDestroy", "cuEventDestroy_v2"},
    {"cudaEventElapsedTime", "cuEventElapsedTime"},
    {"cudaEventQuery", "cuEventQuery"},
    {"cudaEventRecord", "cuEventRecord"},
    {"cudaFree", "cuMemFree_v2"},
    {"cudaFuncSetAttribute", "cuFuncSetAttribute"},
    {"cudaFreeHost", "cuMemFreeHost"},
    {"cudaGetDevice", "cuCtxGetDevice"},
    {"cudaHostGetDevicePointer", "cuMemHostGetDevicePointer_v2"},
    {"cudaStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3"},
    {"cudaStreamGetFlags", "cuStreamGetFlags"},
    {"cudaStreamIsCapturing", "cuStreamIsCapturing"},
    {"cudaThreadExchangeStreamCaptureMode", "cuThreadExchangeStreamCaptureMode"},
};

/* Only libcudart keeps a last error. */
static cudaError_t no_error(void) {
  return cudaSuccess;
}

/* gasan makes another device current for one call, and then the former device. `left`: the context that was current
 * before, perhaps one of the program's own. */
static __thread CUcontext left;

static CUresult device_of(CUcontext context, CUdevice *device) {
  CUresult result = CU(cuCtxPushCurrent)(context);
  if (result != CUDA_SUCCESS)
    return result;
  result = CU(cuCtxGetDevice)(device);
  CU(cuCtxPopCurrent)(&context);
  return result;
}

static cudaError_t set_device(int ordinal) {
  CUdevice device = -1;
  CUcontext context = left;
  left = NULL;
  if (context && device_of(context, &device) == CUDA_SUCCESS && device == ordinal)
    return (cudaError_t)CU(cuCtxSetCurrent)(context);
  CU(cuCtxGetCurrent)(&left);
  CUresult result = CU(cuDeviceGet)(&device, ordinal);
  if (result == CUDA_SUCCESS)
    result = CU(cuDevicePrimaryCtxRetain)(&context, device);
  if (result != CUDA_SUCCESS)
    return (cudaError_t)result;
  result = CU(cuCtxSetCurrent)(context);
  CU(cuDevicePrimaryCtxRelease)(device); /* the runtime has retained it */
  return (cudaError_t)result;
}

/* cuStreamGetDevice is newer than CUDA 12.4. NULL and the default streams belong to the current context. */
static cudaError_t stream_device(cudaStream_t stream, int *ordinal) {
  CUcontext context;
  CUresult result = CU(cuStreamGetCtx)(stream, &context);
  return (cudaError_t)(result == CUDA_SUCCESS ? device_of(context, ordinal) : result);
}

static cudaError_t event_create(cudaEvent_t *event) {
  return (cudaError_t)CU(cuEventCreate)(event, CU_EVENT_DEFAULT);
}

static cudaError_t pointer_attributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  unsigned type = 0;
  CUresult result = CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)pointer);
  memset(attributes, 0, sizeof *attributes);
  /* The runtime's types differ from the driver's. */
  attributes->type = result != CUDA_SUCCESS       ? cudaMemoryTypeUnregistered
                     : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                  : cudaMemoryTypeDevice;
  return cudaSuccess;
}

static const char *error_name(cudaError_t error) {
  const char *name = NULL;
  return CU(cuGetErrorName)((CUresult)error, &name) == CUDA_SUCCESS && name ? name : "unknown error";
}

static const struct {
  const char *runtime;
  void *function;
} own[] = {
    {"cudaEventCreate", (void *)event_create},
    {"cudaGetErrorName", (void *)error_name},
    {"cudaGetLastError", (void *)no_error},
    {"cudaPeekAtLastError", (void *)no_error},
    {"cudaPointerGetAttributes", (void *)pointer_attributes},
    {"cudaSetDevice", (void *)set_device},
    {"cudaStreamGetDevice", (void *)stream_device},
};

void *gasan_cuda_driver_answer(const char *symbol) {
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strcmp(symbol, own[i].runtime))
      return own[i].function;
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (!strcmp(symbol, same[i].runtime))
      return gasan_cuda_driver_symbol(same[i].driver);
  return NULL;
}
