/* A program that finds the driver as libcudart does, or is linked with it (LINKED). Its argument names a bug. On the
 * fake driver, device memory is the host's, so the program itself writes what its kernel would write. */
#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int fake_error;                                          /* the fake driver returns it for queries of streams */
int fake_launch(const void *function, unsigned threads); /* the fake driver calls it for a launch */
int fake_launch(const void *function, unsigned threads) {
  return CUDA_SUCCESS;
}

static __typeof__(&cuGetProcAddress_v2) entry_point;

static void *find(const char *name, const char *symbol, int version) {
  void *function = NULL;
  if (entry_point && entry_point(name, &function, version, 0, NULL) == CUDA_SUCCESS)
    return function;
  return dlsym(dlopen("libcuda.so.1", RTLD_NOW), symbol);
}

#ifdef LINKED
#define DRIVER(name, symbol, version) symbol
#else
#define DRIVER(name, symbol, version) ((__typeof__(&symbol))find(name, #symbol, version))
#endif

int main(int count, char **arguments) {
  const char *bug = count > 1 ? arguments[1] : "";
  if (!strcmp(bug, "by-version"))
    entry_point = (__typeof__(entry_point))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
  char host[2000] = {0};
  CUcontext context;
  CUdeviceptr memory = 0, base = 0;
  size_t size = 0;
  DRIVER("cuInit", cuInit, 2000)(0);
  DRIVER("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain, 7000)(&context, 0);
  DRIVER("cuCtxSetCurrent", cuCtxSetCurrent, 4000)(context);
  CUresult result = DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&memory, 1000);
  DRIVER("cuMemsetD8", cuMemsetD8_v2, 3020)(memory, 3, !strcmp(bug, "set") ? 1001 : 1000);
  DRIVER("cuMemcpyHtoD", cuMemcpyHtoD_v2, 3020)(memory, host,
                                                !strcmp(bug, "copy") || !strcmp(bug, "by-version") ? 1004 : 1000);
  CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 100,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = memory,
                        .dstPitch = 100,
                        .WidthInBytes = 50,
                        .Height = !strcmp(bug, "rows") ? 11 : 10};
  DRIVER("cuMemcpy2D", cuMemcpy2D_v2, 3020)(&rows);
  DRIVER("cuMemGetAddressRange", cuMemGetAddressRange_v2, 3020)(&base, &size, memory + 10);
  for (int i = 0; i < 10 && !strcmp(bug, "unguarded"); i++) {
    CUdeviceptr kept;
    DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&kept, 1000);
    DRIVER("cuMemAllocManaged", cuMemAllocManaged, 6000)(&kept, 1000, CU_MEM_ATTACH_GLOBAL);
  }
  if (!strcmp(bug, "behind") || !strcmp(bug, "late"))
    ((volatile char *)memory)[1000] = 1;
  if (!strcmp(bug, "before"))
    ((volatile char *)memory)[-3] = 1;
  if (!strcmp(bug, "stopped")) {
    DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "fill", 7, 1, 1, 64, 1, 1, 0, NULL,
                                                   (void *[]){&memory, &memory}, NULL);
    fake_error = CUDA_ERROR_ILLEGAL_ADDRESS;
    DRIVER("cuStreamQuery", cuStreamQuery, 2000)(NULL);
  }
  printf("%d %d %zu\n", result, base == memory, size);
  fflush(stdout);
  if (!strcmp(bug, "late"))
    return 0;
  result = DRIVER("cuMemFree", cuMemFree_v2, 3020)(!strcmp(bug, "inside") ? memory + 16 : memory);
  if (!strcmp(bug, "twice"))
    DRIVER("cuMemFree", cuMemFree_v2, 3020)(memory);
  return result;
}
