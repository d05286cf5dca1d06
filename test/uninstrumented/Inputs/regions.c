/* A sub-allocator in a program that knows nothing of gasan but its header, or only NVTX. Its argument names a bug. */
#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>
#include <dlfcn.h>
#include <gasan/gasan.h>
#include <nvtx3/nvToolsExtMem.h>
#include <stdio.h>
#include <string.h>

#define DRIVER(symbol) ((__typeof__(&symbol))dlsym(dlopen("libcuda.so.1", RTLD_NOW), #symbol))

static void name_by_nvtx(const void *memory, size_t size, const void *region, size_t region_size) {
  nvtxMemVirtualRangeDesc_t range = {size, memory}, part = {region_size, region};
  nvtxMemHeapDesc_t heap = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                            .structSize = sizeof heap,
                            .usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                            .type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                            .typeSpecificDescSize = sizeof range,
                            .typeSpecificDesc = &range};
  nvtxMemRegionsRegisterBatch_t batch = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                                         .structSize = sizeof batch,
                                         .regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                         .heap = nvtxMemHeapRegister(NULL, &heap),
                                         .regionCount = 1,
                                         .regionDescElementSize = sizeof part,
                                         .regionDescElements = &part};
  nvtxMemRegionsRegister(NULL, &batch);
}

int main(int count, char **arguments) {
  const char *bug = count > 1 ? arguments[1] : "";
  static char host[4096];
  CUcontext context;
  CUdeviceptr memory = 0;
  if (!strcmp(bug, "plain")) /* without a driver */
    return printf("%d\n", gasan_region_register(host, 1)) < 0;
  DRIVER(cuInit)(0);
  DRIVER(cuDevicePrimaryCtxRetain)(&context, 0);
  DRIVER(cuCtxSetCurrent)(context);
  DRIVER(cuMemAlloc_v2)(&memory, 1 << 20);
  const char *base = (const char *)memory;
  int results = 0;
  if (!strncmp(bug, "nvtx", 4)) {
    name_by_nvtx(base, 1 << 20, base + 4096, 1000);
  } else {
    results += gasan_heap_register(base, 1 << 20);
    results += gasan_region_register(base + 4096, 1000);
  }
  DRIVER(cuMemcpyHtoD_v2)(memory + 4096, host, strstr(bug, "copy") ? 1001 : 1000);
  if (!strcmp(bug, "freed")) {
    results += gasan_region_unregister(base + 4096);
    DRIVER(cuMemsetD8_v2)(memory + 4096, 0, 10);
  }
  printf("%d\n", results);
  DRIVER(cuMemFree_v2)(memory);
  return 0;
}
