// Memory of the driver API has an allocation stack and a free stack, whichever function frees it. The driver functions
// used here need no -lcuda.
// REQUIRES: cuda
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %run %t interior 2>&1 | FileCheck %s --check-prefix=INTERIOR
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t mismatch 2>&1 | FileCheck %s --check-prefix=MISMATCH
// RUN: not %run %t ordered 2>&1 | FileCheck %s --check-prefix=ORDERED
// RUN: not %run %t entry-point 2>&1 | FileCheck %s --check-prefix=ENTRY
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

#define REQUIRE(call)                                                                                                  \
  do {                                                                                                                 \
    int error_ = (int)(call);                                                                                          \
    if (error_) {                                                                                                      \
      fprintf(stderr, "line %d: error %d\n", __LINE__, error_);                                                        \
      exit(3);                                                                                                         \
    }                                                                                                                  \
  } while (0)

__global__ void fill(int *numbers, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    numbers[i] = i;
}

// Allocates memory of each kind, uses it in a kernel and a copy, and frees it.
static void use_all() {
  static int host[1000];
  CUdeviceptr device, pitched, managed, ordered;
  void *pinned, *mapped, *chunk;
  size_t pitch;
  REQUIRE(cuMemAlloc(&device, 4000));
  REQUIRE(cuMemAllocPitch(&pitched, &pitch, 4000, 3, 4));
  REQUIRE(cuMemAllocManaged(&managed, 4000, CU_MEM_ATTACH_GLOBAL));
  REQUIRE(cuMemAllocAsync(&ordered, 4000, nullptr));
  REQUIRE(cuMemAllocHost(&pinned, 4000));
  REQUIRE(cuMemHostAlloc(&mapped, 4000, CU_MEMHOSTALLOC_DEVICEMAP));
  for (void *memory :
       {(void *)device, (void *)(pitched + 2 * pitch), (void *)managed, (void *)ordered, pinned, mapped}) {
    fill<<<1, 64>>>((int *)memory, 1000);
    REQUIRE(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDefault));
    REQUIRE(host[999] != 999);
  }
  REQUIRE(cuMemFree(device));
  REQUIRE(cudaFree((void *)pitched));
  REQUIRE(cuMemFree(managed));
  REQUIRE(cuMemFreeAsync(ordered, nullptr));
  REQUIRE(cuMemFreeHost(pinned));
  REQUIRE(cudaFreeHost(mapped));
  REQUIRE(cudaMalloc(&chunk, 4000));
  REQUIRE(cuMemFree((CUdeviceptr)chunk));
  void *own = aligned_alloc(4096, 8192);
  REQUIRE(cuMemHostRegister(own, 8192, 0));
  REQUIRE(cuMemHostUnregister(own));
  free(own);
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  CUdeviceptr memory = 0;
  static char host[4096];
  REQUIRE(cudaFree(nullptr)); // creates a context
  if (!strcmp(what, "fine"))
    use_all();
  // TWICE: ERROR: AddressSanitizer: attempting double-free on
  // TWICE-NEXT: in cuMemFree
  // TWICE: in main {{.*}}driver-api.cu:[[#@LINE+8]]:
  // TWICE: freed by host thread T0 here:
  // TWICE-NEXT: in cuMemFree
  // TWICE: previously allocated by host thread T0 here:
  // TWICE-NEXT: in cuMemAlloc
  if (!strcmp(what, "twice")) {
    REQUIRE(cuMemAlloc(&memory, 4000));
    REQUIRE(cuMemFree(memory));
    cuMemFree(memory);
  }
  // INTERIOR: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // INTERIOR: in main {{.*}}driver-api.cu:[[#@LINE+4]]:
  // INTERIOR: is located 256 bytes inside of 4000-byte region
  if (!strcmp(what, "interior")) {
    REQUIRE(cuMemAlloc(&memory, 4000));
    cuMemFree(memory + 256);
  }
  // OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
  // OVERFLOW-NEXT: READ of size 4001 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // OVERFLOW: in main {{.*}}driver-api.cu:[[#@LINE+5]]:
  // OVERFLOW: is located 0 bytes after 4000-byte region
  // OVERFLOW: in cuMemAlloc
  if (!strcmp(what, "overflow")) {
    REQUIRE(cuMemAlloc(&memory, 4000));
    cudaMemcpy(host, (void *)memory, 4001, cudaMemcpyDeviceToHost);
  }
  // MISMATCH: ERROR: AddressSanitizer: alloc-dealloc-mismatch (cuMemAlloc vs cudaFreeHost) on 0x
  // MISMATCH: in main {{.*}}driver-api.cu:[[#@LINE+3]]:
  if (!strcmp(what, "mismatch")) {
    REQUIRE(cuMemAlloc(&memory, 4000));
    cudaFreeHost((void *)memory);
  }
  // ORDERED: ERROR: AddressSanitizer: attempting double-free on
  // ORDERED-NEXT: in cuMemFreeAsync
  // ORDERED: in main {{.*}}driver-api.cu:[[#@LINE+6]]:
  // ORDERED: in cuMemAllocAsync
  if (!strcmp(what, "ordered")) {
    REQUIRE(cuMemAllocAsync(&memory, 4000, nullptr));
    REQUIRE(cuMemFreeAsync(memory, nullptr));
    REQUIRE(cudaDeviceSynchronize());
    cuMemFreeAsync(memory, nullptr);
  }
  // ENTRY: ERROR: AddressSanitizer: attempting double-free on
  // ENTRY: in main {{.*}}driver-api.cu:[[#@LINE+9]]:
  // ENTRY: in cuMemAlloc
  if (!strcmp(what, "entry-point")) {
    CUresult (*allocate)(CUdeviceptr *, size_t), (*release)(CUdeviceptr);
    cudaDriverEntryPointQueryResult found;
    REQUIRE(cudaGetDriverEntryPointByVersion("cuMemAlloc", (void **)&allocate, 12000, cudaEnableDefault, &found));
    REQUIRE(cuGetProcAddress("cuMemFree", (void **)&release, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
    REQUIRE(allocate(&memory, 4000));
    REQUIRE(release(memory));
    release(memory);
  }
  return 0;
}
