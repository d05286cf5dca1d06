// gasan and the host's AddressSanitizer in one process: a correct program is silent, and each tool reports its own
// bugs.
// RUN: %gasan -O2 -fsanitize=address,gpu-address %s -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0:protect_shadow_gap=0 %run %t none 2>&1 >/dev/null | %silent
// RUN: env ASAN_OPTIONS=detect_leaks=0:protect_shadow_gap=0 not %run %t device 2>&1 | FileCheck %s \
// RUN:   --check-prefix=DEVICE
// RUN: env ASAN_OPTIONS=detect_leaks=0:protect_shadow_gap=0 not %run %t host 2>&1 | FileCheck %s --check-prefix=HOST
#include <cstring>

__global__ void store(int *values, int i) {
  // DEVICE: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // DEVICE: #0 store(int*, int) {{.*}}host-asan.cu:[[#@LINE+1]]:
  values[i] = 1;
}

int main(int, char **arguments) {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, strcmp(arguments[1], "device") ? 0 : 25);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  char *host = new char[10];
  // HOST: ERROR: AddressSanitizer: heap-buffer-overflow on address
  // HOST: #0 {{0x[0-9a-f]+}} in main {{.*}}host-asan.cu:[[#@LINE+1]]:
  *(volatile char *)(host + (strcmp(arguments[1], "host") ? 9 : 10)) = 1;
  delete[] host;
  return error != cudaSuccess;
}
