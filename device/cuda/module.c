/* Variables of a loaded device image, found through a kernel that the program registered. */
#include <driver_types.h>

#include "device/cuda/internal.h"

typedef cudaError_t (*get_function)(cudaFunction_t *function, const void *symbol);

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

struct gasan_status gasan_cuda_symbol(struct gasan_device *device, const void *kernel, const char *name,
                                      uint64_t *address, uint64_t *size) {
  static get_function get;
  if (!get)
    *(void **)&get = gasan_cuda_runtime_symbol("cudaGetFuncBySymbol");
  if (!get)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  struct gasan_cuda_scope scope;
  struct gasan_status status = gasan_cuda_enter(gasan_cuda_device_of(device), &scope);
  if (!gasan_ok(status))
    return status;
  /* The runtime loads the image into the current context if it is not there yet. */
  cudaFunction_t function = NULL;
  if (get(&function, kernel) == cudaSuccess)
    status = gasan_cuda_status(find_symbol((CUfunction)function, name, address, size));
  else
    status = gasan_status_make(GASAN_ERR_NOT_FOUND);
  gasan_cuda_leave(&scope);
  return status;
}
