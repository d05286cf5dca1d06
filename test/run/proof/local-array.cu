// A kernel with a local array, whose variant reports without calls. The report is the same as for other kernels.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 0 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %gasan -O2 -mllvm -gasan-inline-reports=false %s -o %t
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=BAD
// GOOD: launch proof: 0 of 1 launches proven, 1 in part
// BAD: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} address
// BAD: WRITE of size 4 at {{.*}} by device thread (5,0,0) block (1,0,0)
// BAD: #0 place({{.*}}local-array.cu:[[#@LINE+9]]:42
// BAD: is located 0 bytes after 512-byte region
#include <cstdlib>

__global__ void place(const unsigned *digits, const unsigned *counts, unsigned *found) {
  unsigned next[8], t = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < 8; i++)
    next[i] = counts[i];
  for (unsigned i = 0; i < 4; i++)
    found[next[digits[t * 4 + i] & 7]++] = i;
}

int main(int, char **arguments) {
  unsigned digits[64], counts[8], *device_digits, *device_counts, *found;
  for (unsigned i = 0; i < 64; i++)
    digits[i] = i / 4 == 13 && atoi(arguments[1]) ? 7 : i & 3;
  for (unsigned i = 0; i < 8; i++)
    counts[i] = i == 7 ? 125 : i * 10;
  cudaMalloc((void **)&device_digits, sizeof digits);
  cudaMalloc((void **)&device_counts, sizeof counts);
  cudaMalloc((void **)&found, 128 * sizeof(unsigned));
  cudaMemcpy(device_digits, digits, sizeof digits, cudaMemcpyHostToDevice);
  cudaMemcpy(device_counts, counts, sizeof counts, cudaMemcpyHostToDevice);
  place<<<2, 8>>>(device_digits, device_counts, found);
  return cudaDeviceSynchronize() != cudaSuccess;
}
