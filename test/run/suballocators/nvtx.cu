// A program that names its heap and regions by NVTX's memory API, as for compute-sanitizer. gasan names itself to NVTX.
// RUN: %gasan -O2 -I%cuda/include %s -o %t
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t shrunk 2>&1 | FileCheck %s --check-prefix=SHRUNK
// RUN: not %run %t reset 2>&1 | FileCheck %s --check-prefix=RESET
// RUN: %run %t bad 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: env NVTX_INJECTION64_PATH=/nowhere %run %t overflow 2>&1 >/dev/null | %silent
#include <cstring>
#include <nvtx3/nvToolsExtMem.h>

static nvtxDomainHandle_t domain;

static nvtxMemHeapHandle_t make_heap(void *base, size_t size, uint32_t usage) {
  nvtxMemVirtualRangeDesc_t range = {size, base};
  nvtxMemHeapDesc_t heap = {};
  heap.extCompatID = NVTX_EXT_COMPATID_MEM;
  heap.structSize = sizeof heap;
  heap.usage = usage;
  heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  heap.typeSpecificDescSize = sizeof range;
  heap.typeSpecificDesc = &range;
  return nvtxMemHeapRegister(domain, &heap);
}

static void take(nvtxMemHeapHandle_t heap, const nvtxMemVirtualRangeDesc_t *ranges, size_t count,
                 nvtxMemRegionHandle_t *handles) {
  nvtxMemRegionsRegisterBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  batch.heap = heap;
  batch.regionCount = count;
  batch.regionDescElementSize = sizeof *ranges;
  batch.regionDescElements = ranges;
  batch.regionHandleElementsOut = handles;
  nvtxMemRegionsRegister(domain, &batch);
}

static void resize(void *base, size_t size) {
  nvtxMemVirtualRangeDesc_t range = {size, base};
  nvtxMemRegionsResizeBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  batch.regionDescCount = 1;
  batch.regionDescElementSize = sizeof range;
  batch.regionDescElements = &range;
  nvtxMemRegionsResize(domain, &batch);
}

static void give(nvtxMemRegionRef_t reference, uint32_t type) {
  nvtxMemRegionsUnregisterBatch_t batch = {};
  batch.extCompatID = NVTX_EXT_COMPATID_MEM;
  batch.structSize = sizeof batch;
  batch.refType = type;
  batch.refCount = 1;
  batch.refElementSize = sizeof reference;
  batch.refElements = &reference;
  nvtxMemRegionsUnregister(domain, &batch);
}

__global__ void fill(int *values, int count) {
  // OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // OVERFLOW-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (256,0,0)
  // OVERFLOW-NEXT: #0 fill(int*, int) {{.*}}nvtx.cu:[[#@LINE+14]]:
  // OVERFLOW: is located 0 bytes after 1024-byte region
  // OVERFLOW-NEXT: allocated by host thread T0 here:
  // OVERFLOW-NEXT: #0 {{0x[0-9a-f]+}} in nvtxMemRegionsRegister
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 fill(int*, int) {{.*}}nvtx.cu:[[#@LINE+9]]:
  // FREED: freed by host thread T0 here:
  // FREED-NEXT: #0 {{0x[0-9a-f]+}} in nvtxMemRegionsUnregister
  // SHRUNK: ERROR: AddressSanitizer: heap-buffer-overflow
  // SHRUNK: #0 fill(int*, int) {{.*}}nvtx.cu:[[#@LINE+5]]:
  // SHRUNK: is located 0 bytes after 512-byte region
  // RESET: ERROR: AddressSanitizer: heap-use-after-free
  // RESET: #0 fill(int*, int) {{.*}}nvtx.cu:[[#@LINE+2]]:
  if (threadIdx.x < count)
    values[threadIdx.x] = 1;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  char *memory, *other, *managed;
  domain = nvtxDomainCreateA("test");
  cudaMalloc(&memory, 1 << 20);
  cudaMalloc(&other, 1 << 20);
  cudaMallocManaged(&managed, 1 << 16);
  nvtxMemHeapHandle_t heap = make_heap(memory, 1 << 20, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
  nvtxMemVirtualRangeDesc_t ranges[2] = {{1024, memory}, {1024, memory + 1024}};
  nvtxMemRegionHandle_t handles[2];
  // OVERFLOW: in main {{.*}}nvtx.cu:[[#@LINE+1]]:
  take(heap, ranges, 2, handles);
  fill<<<1, 512>>>((int *)memory, !strcmp(what, "overflow") ? 257 : 256);
  fill<<<1, 512>>>((int *)(memory + 1024), 256);
  cudaDeviceSynchronize(); // else the region may be given back before the runtime reads the kernel's record
  // FREED: in main {{.*}}nvtx.cu:[[#@LINE+3]]:
  nvtxMemRegionRef_t reference;
  reference.handle = handles[0];
  give(reference, NVTX_MEM_REGION_REF_TYPE_HANDLE);
  if (!strcmp(what, "freed"))
    fill<<<1, 512>>>((int *)memory, 256);
  resize(memory + 1024, 512);
  fill<<<1, 512>>>((int *)(memory + 1024), 128);
  if (!strcmp(what, "shrunk"))
    fill<<<1, 512>>>((int *)(memory + 1024), 129);
  // BAD: gasan: nvtxMemRegionsRegister has no effect: {{.*}} overlaps
  nvtxMemVirtualRangeDesc_t bad = {4096, memory};
  if (!strcmp(what, "bad"))
    take(heap, &bad, 1, nullptr);
  nvtxMemHeapReset(domain, heap);
  if (!strcmp(what, "reset"))
    fill<<<1, 512>>>((int *)(memory + 1024), 128);
  nvtxMemHeapUnregister(domain, heap);
  fill<<<1, 512>>>((int *)memory, 512);

  // Only sub-allocators restrict accesses. Names and permissions do nothing.
  heap = make_heap(other, 1 << 20, NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT);
  nvtxMemVirtualRangeDesc_t piece = {100, other};
  take(heap, &piece, 1, nullptr);
  take(NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE, &piece, 1, nullptr);
  fill<<<1, 512>>>((int *)other, 512);
  reference.pointer = other;
  give(reference, NVTX_MEM_REGION_REF_TYPE_POINTER);
  nvtxMemPermissionsHandle_t permissions = nvtxMemPermissionsCreate(domain, NVTX_MEM_PERMISSIONS_CREATE_FLAGS_NONE);
  nvtxMemPermissionsDestroy(domain, permissions);
  nvtxMemHeapUnregister(domain, heap);
  return cudaDeviceSynchronize() != cudaSuccess;
}
