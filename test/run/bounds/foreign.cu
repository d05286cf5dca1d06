// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t pinned 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not %run %t registered 2>&1 | FileCheck %s --check-prefix=REGISTERED
// RUN: not %run %t variable 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// Wrong accesses of kernels to memory outside of the pool are reported.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int table[64];

__global__ void store(int *values, int index) {
  // MANAGED: ERROR: AddressSanitizer: heap-buffer-overflow
  // MANAGED: #0 store(int*, int) {{.*}}foreign.cu:[[#@LINE+9]]:
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 store(int*, int) {{.*}}foreign.cu:[[#@LINE+7]]:
  // PINNED: ERROR: AddressSanitizer: heap-buffer-overflow
  // PINNED: #0 store(int*, int) {{.*}}foreign.cu:[[#@LINE+5]]:
  // REGISTERED: ERROR: AddressSanitizer: heap-buffer-overflow
  // REGISTERED: #0 store(int*, int) {{.*}}foreign.cu:[[#@LINE+3]]:
  // VARIABLE: ERROR: AddressSanitizer: global-buffer-overflow
  // VARIABLE: #0 store(int*, int) {{.*}}foreign.cu:[[#@LINE+1]]:
  values[index] = 1;
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  int *managed, *pinned, *device_pinned, *variable, *device_registered;
  // MANAGED: located 0 bytes after 400-byte region
  // MANAGED: in main {{.*}}foreign.cu:[[#@LINE+3]]:
  // FREED: located 12 bytes inside of 400-byte region
  // FREED: previously allocated
  cudaMallocManaged(&managed, 400);
  // PINNED: located 4 bytes before 800-byte region
  cudaHostAlloc(&pinned, 800, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device_pinned, pinned, 0);
  char *registered = static_cast<char *>(aligned_alloc(4096, 8192));
  memset(registered, 0, 8192);
  // Two registered ranges without a gap count as one range.
  // REGISTERED: located 0 bytes after 8192-byte region
  cudaHostRegister(registered, 4096, cudaHostRegisterMapped);
  cudaHostRegister(registered + 4096, 4096, cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&device_registered, registered, 0);
  // VARIABLE: located 0 bytes after global variable 'table'
  cudaGetSymbolAddress(reinterpret_cast<void **>(&variable), table);
  if (!strcmp(wanted, "managed"))
    store<<<1, 1>>>(managed, 100);
  if (!strcmp(wanted, "freed")) {
    cudaFree(managed);
    store<<<1, 1>>>(managed, 3);
  }
  if (!strcmp(wanted, "pinned"))
    store<<<1, 1>>>(device_pinned, -1);
  if (!strcmp(wanted, "registered"))
    store<<<1, 1>>>(device_registered, 2048);
  if (!strcmp(wanted, "variable"))
    store<<<1, 1>>>(variable, 64);
  // FINE: lookups of bounds: 0 pointers led to no known memory
  if (!strcmp(wanted, "fine")) {
    store<<<1, 1>>>(managed + 100, -1);
    store<<<1, 1>>>(device_pinned, 199);
    store<<<1, 1>>>(device_registered, 1500);
    store<<<1, 1>>>(device_registered + 1023, 1);
    store<<<1, 1>>>(variable, 63);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
