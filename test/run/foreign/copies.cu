// Copies and sets past the end of memory that is not from cudaMalloc, and of freed memory of this kind, are reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t pinned 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=PINNED
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t variable 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not %run %t pinned-freed 2>&1 | FileCheck %s --check-prefix=PFREED
// RUN: not %run %t managed-freed 2>&1 | FileCheck %s --check-prefix=MFREED
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed pinned 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed managed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed variable 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed pinned-freed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed managed-freed 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const size_t size = 100;
#else
const size_t size = 101;
#endif
__device__ char table[100], neighbour[100];

__global__ void use() {
  neighbour[threadIdx.x] = table[threadIdx.x];
}

static cudaError_t variable(const char *device) {
  char *address;
  cudaGetSymbolAddress((void **)&address, table);
  // VARIABLE: ERROR: AddressSanitizer: global-buffer-overflow on address
  // VARIABLE-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // VARIABLE: in variable(char const*) {{.*}}copies.cu:[[#@LINE+3]]:
  // VARIABLE: in main {{.*}}copies.cu:
  // VARIABLE: is located 0 bytes after global variable 'table' ({{0x[0-9a-f]+}}) of size 100
  return cudaMemcpy(address, device, size, cudaMemcpyDeviceToDevice);
}

static cudaError_t freed(const char *device, char *memory, cudaError_t (*release)(void *)) {
#ifdef FIXED
  cudaError_t error = cudaMemcpy(memory, device, 100, cudaMemcpyDefault);
  release(memory);
  return error;
#else
  release(memory);
  return cudaMemcpy(memory, device, 100, cudaMemcpyDefault);
#endif
}

int main(int, char **arguments) {
  char *device, *pinned, *managed;
  cudaMalloc(&device, 200);
  cudaMemset(device, 0, 200);
  cudaMallocHost(&pinned, 100);
  cudaMallocManaged(&managed, 100);
  memset(pinned, 0, 100);
  cudaError_t error = cudaSuccess;
  use<<<1, 1>>>();
  cudaDeviceSynchronize();
  if (!strcmp(arguments[1], "pinned"))
    // PINNED: ERROR: AddressSanitizer: heap-buffer-overflow on address 0x
    // PINNED-NEXT: READ of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
    // PINNED-NEXT: #0 {{0x[0-9a-f]+}} in cudaMemcpy
    // PINNED-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}copies.cu:[[#@LINE+4]]:
    // PINNED: is located 0 bytes after 100-byte region
    // PINNED: allocated by host thread T0 here:
    // PINNED-NEXT: #0 {{0x[0-9a-f]+}} in cudaHostAlloc
    error = cudaMemcpy(device, pinned, size, cudaMemcpyHostToDevice);
  if (!strcmp(arguments[1], "managed"))
    // MANAGED: ERROR: AddressSanitizer: heap-buffer-overflow on address 0x
    // MANAGED-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
    // MANAGED: in main {{.*}}copies.cu:[[#@LINE+2]]:
    // MANAGED: in cudaMallocManaged
    error = cudaMemset(managed, 0, size);
  if (!strcmp(arguments[1], "variable"))
    error = variable(device);
  // PFREED: ERROR: AddressSanitizer: heap-use-after-free on address 0x
  // PFREED-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // PFREED: in freed(char const*, char*, cudaError (*)(void*)) {{.*}}copies.cu:[[#@LINE-33]]:
  // PFREED: is located 0 bytes inside of 100-byte region
  // PFREED: freed by host thread T0 here:
  // PFREED-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeHost
  // PFREED: previously allocated by host thread T0 here:
  // PFREED-NEXT: #0 {{0x[0-9a-f]+}} in cudaHostAlloc
  if (!strcmp(arguments[1], "pinned-freed"))
    error = freed(device, pinned, cudaFreeHost);
  // MFREED: ERROR: AddressSanitizer: heap-use-after-free on address 0x
  // MFREED-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
  // MFREED: in freed(char const*, char*, cudaError (*)(void*)) {{.*}}copies.cu:[[#@LINE-43]]:
  // MFREED: freed by host thread T0 here:
  // MFREED-NEXT: #0 {{0x[0-9a-f]+}} in cudaFree
  // MFREED: previously allocated by host thread T0 here:
  // MFREED-NEXT: #0 {{0x[0-9a-f]+}} in cudaMallocManaged
  if (!strcmp(arguments[1], "managed-freed"))
    error = freed(device, managed, cudaFree);
  return error != cudaSuccess;
}
