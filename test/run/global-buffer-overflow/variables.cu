// An access one element past a __device__ array, and past a __constant__ table.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t device 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=DEVICE
// RUN: not %run %t constant 2>&1 >/dev/null | %golden.1 | FileCheck %s --check-prefix=CONSTANT
// RUN: %run %t none 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 device 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not %run %t.O0 constant 2>&1 | FileCheck %s --check-prefix=CONSTANT
// RUN: %run %t.O0 none 2>&1 >/dev/null | %silent
#include <cstring>

__device__ int counts[64];
__constant__ float weights[5] = {1, 4, 6, 4, 1};

__global__ void count(const int *keys) {
  // DEVICE: ERROR: AddressSanitizer: global-buffer-overflow
  // DEVICE-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (31,0,0) block (0,0,0)
  // DEVICE-NEXT: #0 count(int const*) {{.*}}variables.cu:[[#@LINE+2]]:
  // DEVICE: is located 0 bytes after global variable 'counts' {{.*}}of size 256
  counts[keys[threadIdx.x]] = 1;
}

__global__ void smooth(float *result, int width) {
  float sum = 0;
  for (int i = 0; i < width; ++i)
    // CONSTANT: ERROR: AddressSanitizer: global-buffer-overflow
    // CONSTANT-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // CONSTANT-NEXT: #0 smooth(float*, int) {{.*}}variables.cu:[[#@LINE+2]]:
    // CONSTANT: is located 0 bytes after constant variable 'weights' {{.*}}of size 20
    sum += weights[i];
  result[threadIdx.x] = sum;
}

int main(int, char **arguments) {
  int keys[32], *onDevice;
  float *result, sum = 0;
  for (int i = 0; i < 32; ++i)
    keys[i] = 2 * i + (i == 31 && !strcmp(arguments[1], "device") ? 2 : 0);
  cudaMalloc(&onDevice, sizeof keys);
  cudaMalloc(&result, 32 * sizeof *result);
  cudaMemcpy(onDevice, keys, sizeof keys, cudaMemcpyHostToDevice);
  count<<<1, 32>>>(onDevice);
  smooth<<<1, 32>>>(result, strcmp(arguments[1], "constant") ? 5 : 6);
  cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(onDevice);
  cudaFree(result);
  return sum != 16;
}
