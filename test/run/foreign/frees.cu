// A second free of memory, a free of its middle, and a free by the function for another kind of memory.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t pinned 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: %options=quarantine_size_mb=0 not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t interior 2>&1 | FileCheck %s --check-prefix=INTERIOR
// RUN: not %run %t device-as-host 2>&1 >/dev/null | %golden.4 | FileCheck %s --check-prefix=DEVICE
// RUN: not %run %t host-as-device 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not %run %t plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %run %t fine 2>&1 >/dev/null | %silent
#include <cstdlib>
#include <cstring>

int main(int, char **arguments) {
  char *device, *pinned, *managed;
  cudaMalloc(&device, 100);
  cudaMallocHost(&pinned, 100);
  cudaMallocManaged(&managed, 100);
  const char *what = arguments[1];
  // PINNED: ERROR: AddressSanitizer: attempting double-free on {{0x[0-9a-f]+}} on {{cpu|cuda}} device 0
  // PINNED-SAME: {{^}} by host thread T0:
  // PINNED-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeHost
  // PINNED: in main {{.*}}frees.cu:[[#@LINE+6]]:
  // PINNED: freed by host thread T0 here:
  // PINNED-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeHost
  // PINNED: in cudaHostAlloc
  if (!strcmp(what, "pinned")) {
    cudaFreeHost(pinned);
    cudaFreeHost(pinned);
  }
  // MANAGED: ERROR: AddressSanitizer: attempting double-free on
  // MANAGED: in main {{.*}}frees.cu:[[#@LINE+4]]:
  // MANAGED: in cudaMallocManaged
  if (!strcmp(what, "managed")) {
    cudaFree(managed);
    cudaFree(managed);
  }
  // INTERIOR: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // INTERIOR: in main {{.*}}frees.cu:[[#@LINE+3]]:
  // INTERIOR: is located 50 bytes inside of 100-byte region
  if (!strcmp(what, "interior"))
    cudaFreeHost(pinned + 50);
  // DEVICE: ERROR: AddressSanitizer: alloc-dealloc-mismatch (cudaMalloc vs cudaFreeHost) on 0x
  // DEVICE: in main {{.*}}frees.cu:[[#@LINE+5]]:
  // DEVICE: is located 0 bytes inside of 100-byte region
  // DEVICE: allocated by host thread T0 here:
  // DEVICE-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  if (!strcmp(what, "device-as-host"))
    cudaFreeHost(device);
  // HOST: ERROR: AddressSanitizer: alloc-dealloc-mismatch (cudaHostAlloc vs cudaFree) on 0x
  // HOST: in main {{.*}}frees.cu:[[#@LINE+2]]:
  if (!strcmp(what, "host-as-device"))
    cudaFree(pinned);
  // PLAIN: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // PLAIN: in cudaFreeHost
  // PLAIN: in main {{.*}}frees.cu:[[#@LINE+2]]:
  if (!strcmp(what, "plain"))
    cudaFreeHost(malloc(100));
  bool right =
      cudaFree(device) == cudaSuccess && cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess;
  return !right;
}
