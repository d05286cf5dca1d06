// A copy inside device memory whose source and destination overlap is reported. Interleaved rows do not overlap.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not %run %t rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: %run %t fine 2>&1 >/dev/null | %silent
#include <cstring>

int main(int, char **arguments) {
  char *bytes, *managed;
  cudaMalloc(&bytes, 4096);
  cudaMallocManaged(&managed, 4096);
  cudaMemset(bytes, 1, 4096);
  const char *what = arguments[1];
  cudaError_t error = cudaSuccess;
  if (!strcmp(what, "bytes"))
    // BYTES: ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges [0x{{[0-9a-f]+}},0x{{[0-9a-f]+}}) and
    // BYTES-SAME: {{^}} [0x{{[0-9a-f]+}},0x{{[0-9a-f]+}}) overlap
    // BYTES-NEXT: #0 {{0x[0-9a-f]+}} in cudaMemcpy
    // BYTES-NEXT: #1 {{0x[0-9a-f]+}} in main {{.*}}overlap.cu:[[#@LINE+4]]:
    // BYTES: is located 50 bytes inside of 4096-byte region
    // BYTES: is located 0 bytes inside of 4096-byte region
    // BYTES: SUMMARY: AddressSanitizer: memcpy-param-overlap
    error = cudaMemcpy(bytes + 50, bytes, 51, cudaMemcpyDeviceToDevice);
  if (!strcmp(what, "rows"))
    // ROWS: ERROR: AddressSanitizer: memcpy-param-overlap
    // ROWS: in main {{.*}}overlap.cu:[[#@LINE+1]]:
    error = cudaMemcpy2D(bytes + 128 + 63, 128, bytes, 128, 64, 8, cudaMemcpyDeviceToDevice);
  if (!strcmp(what, "managed"))
    // MANAGED: ERROR: AddressSanitizer: memcpy-param-overlap
    // MANAGED: in main {{.*}}overlap.cu:[[#@LINE+1]]:
    error = cudaMemcpyAsync(managed, managed + 99, 100, cudaMemcpyDefault);
  if (!strcmp(what, "fine")) {
    error = cudaMemcpy(bytes + 50, bytes, 50, cudaMemcpyDeviceToDevice);
    if (error == cudaSuccess)
      error = cudaMemcpy2D(bytes + 128 + 64, 128, bytes, 128, 64, 8, cudaMemcpyDeviceToDevice);
    if (error == cudaSuccess)
      error = cudaMemcpy2D(bytes + 8 * 128, 128, bytes, 128, 128, 8, cudaMemcpyDeviceToDevice);
    if (error == cudaSuccess)
      error = cudaMemcpy(bytes, bytes, 100, cudaMemcpyDeviceToDevice);
  }
  return error != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
}
