// Copies that run past the end of a device buffer, in each direction. They are reported before they happen.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t h2d 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=H2D
// RUN: not %run %t d2h 2>&1 | FileCheck %s --check-prefix=D2H
// RUN: not %run %t d2d-write 2>&1 | FileCheck %s --check-prefix=D2DW
// RUN: not %run %t d2d-read 2>&1 | FileCheck %s --check-prefix=D2DR
// RUN: not %run %t async 2>&1 | FileCheck %s --check-prefix=ASYNC
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed h2d 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed d2h 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed d2d-write 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed d2d-read 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed async 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const size_t size = 100;
#else
const size_t size = 101;
#endif

int main(int, char **arguments) {
  char host[200] = {};
  char *small, *large;
  cudaMalloc(&small, 100);
  cudaMalloc(&large, 200);
  cudaMemset(large, 0, 200);
  cudaMemset(small, 0, 100);
  cudaError_t error = cudaSuccess;
  if (!strcmp(arguments[1], "h2d"))
    // H2D: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address
    // H2D-NEXT: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
    // H2D-NEXT: #0 {{0x[0-9a-f]+}} in cudaMemcpy
    // H2D-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}memcpy.cu:[[#@LINE+1]]:
    error = cudaMemcpy(small, host, size, cudaMemcpyHostToDevice);
  if (!strcmp(arguments[1], "d2h"))
    // D2H: READ of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
    // D2H: in main {{.*}}memcpy.cu:[[#@LINE+1]]:
    error = cudaMemcpy(host, small, size, cudaMemcpyDeviceToHost);
  if (!strcmp(arguments[1], "d2d-write"))
    // D2DW: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
    // D2DW: in main {{.*}}memcpy.cu:[[#@LINE+1]]:
    error = cudaMemcpy(small, large, size, cudaMemcpyDeviceToDevice);
  if (!strcmp(arguments[1], "d2d-read"))
    // D2DR: READ of size 101 at {{0x[0-9a-f]+}} by cudaMemcpy called by host thread T0:
    // D2DR: in main {{.*}}memcpy.cu:[[#@LINE+1]]:
    error = cudaMemcpy(large, small, size, cudaMemcpyDeviceToDevice);
  if (!strcmp(arguments[1], "async"))
    // ASYNC: WRITE of size 101 at {{0x[0-9a-f]+}} by cudaMemcpyAsync called by host thread T0:
    // ASYNC: in main {{.*}}memcpy.cu:[[#@LINE+1]]:
    error = cudaMemcpyAsync(small, host, size, cudaMemcpyHostToDevice, 0);
  // H2D: is located 0 bytes after 100-byte region
  // H2D: in main {{.*}}memcpy.cu:[[#@LINE-28]]:
  // H2D: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}memcpy.cu:{{.*}} in main
  // D2H: is located 0 bytes after 100-byte region
  // D2DW: is located 0 bytes after 100-byte region
  // D2DR: is located 0 bytes after 100-byte region
  // ASYNC: is located 0 bytes after 100-byte region
  cudaDeviceSynchronize();
  cudaFree(small);
  cudaFree(large);
  return error != cudaSuccess;
}
