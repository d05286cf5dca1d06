/* The libcudart.so.13 of the fake libcuda: the functions that gasan and the tests' programs call. Like the real one, it
 * uses libcuda's own functions, even if another library defines functions of these names. */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#define NAME(function) #function
#define DRIVER(function) ((__typeof__(&function))dlsym(dlopen("libcuda.so.1", RTLD_NOW), NAME(function)))

static __thread cudaError_t last;

static cudaError_t result(CUresult error) {
  if (error)
    last = (cudaError_t)error;
  return (cudaError_t)error;
}

/* The error of a stopped kernel: the program's fake_error. */
static cudaError_t as_the_device_is(void) {
  int *error = dlsym(RTLD_DEFAULT, "fake_error");
  return result(error ? (CUresult)*error : CUDA_SUCCESS);
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  const void **plain = dlsym(RTLD_DEFAULT, "fake_plain"); /* a kernel of another image, which has no checks */
  if (plain && *plain == symbol)
    return (last = cudaErrorInvalidDeviceFunction);
  *function = dlsym(RTLD_DEFAULT, "fake_global");
  return *function ? cudaSuccess : result(CUDA_ERROR_NOT_FOUND);
}
/* A kernel's handle is its host function's address. */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
  if (!dlsym(RTLD_DEFAULT, "fake_kernel"))
    return result(CUDA_ERROR_NOT_FOUND);
  *kernel = (cudaKernel_t)(uintptr_t)symbol;
  return cudaSuccess;
}
cudaError_t cudaPeekAtLastError(void) {
  as_the_device_is();
  return last;
}
cudaError_t cudaGetLastError(void) {
  as_the_device_is();
  cudaError_t error = last;
  last = cudaSuccess;
  return error;
}
/* Without gaps, like a GPU's driver, which does so for memory that the host can access, too. */
static void *next_to_the_last(size_t size) {
  static char memory[1 << 16];
  static size_t used;
  used += size;
  return memory + used - size;
}
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  *pointer = next_to_the_last(size);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void **pointer, size_t size) {
  *pointer = next_to_the_last(size);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  *pointer = next_to_the_last(size);
  return cudaSuccess;
}
cudaError_t cudaFree(void *pointer) {
  return result(DRIVER(cuMemFree)((CUdeviceptr)(uintptr_t)pointer));
}
cudaError_t cudaFreeHost(void *pointer) {
  return result(DRIVER(cuMemFreeHost)(pointer));
}
cudaError_t cudaHostGetDevicePointer(void **device, void *pointer, unsigned flags) {
  *device = (char *)pointer + (flags == 0 ? 1ull << 40 : 0); /* a GPU with other addresses for host memory */
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return as_the_device_is();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return as_the_device_is();
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return as_the_device_is();
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return as_the_device_is();
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice};
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  return as_the_device_is();
}
cudaError_t cudaMemset(void *to, int value, size_t size) {
  return as_the_device_is();
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return as_the_device_is();
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *found) {
  return result(DRIVER(cuGetProcAddress)(name, function, (int)version, flags, NULL));
}

/* Registration and launches: nothing runs. */
void **__cudaRegisterFatBinary(void *wrapper);
void **__cudaRegisterFatBinary(void *wrapper) {
  return wrapper;
}
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {}
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size) {}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
  int (*launch)(const void *, unsigned) = (int (*)(const void *, unsigned))dlsym(RTLD_DEFAULT, "fake_launch");
  return launch ? result((CUresult)launch(function, block.x * block.y * block.z)) : as_the_device_is();
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
  int (*launch)(const void *, unsigned) =
      (int (*)(const void *, unsigned))dlsym(RTLD_DEFAULT, "fake_cooperative_launch");
  return launch ? result((CUresult)launch(function, block.x * block.y * block.z)) : cudaErrorNotSupported;
}
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
  int (*set)(const void *, int) = (int (*)(const void *, int))dlsym(RTLD_DEFAULT, "fake_set_attribute");
  return set ? result((CUresult)set(function, value)) : cudaErrorNotSupported;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared) {
  int (*ask)(const void *) = (int (*)(const void *))dlsym(RTLD_DEFAULT, "fake_occupancy");
  *blocks = ask ? ask(function) : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) {
  return as_the_device_is();
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  return result(DRIVER(cuCtxSetLimit)((CUlimit)limit, value));
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  return result(DRIVER(cuCtxGetLimit)(value, (CUlimit)limit));
}
