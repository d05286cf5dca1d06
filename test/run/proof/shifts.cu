// Limits that are powers of two, and reversed bits: a sum of tiles, whose loops end where the number of a tile
// has no bits left. All launches are proven, and a wrong size is found.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t small 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not %run %t groups 2>&1 | FileCheck %s --check-prefix=GROUPS
// FINE: launch proof: 2 of 2 launches proven, by 2 evaluations; 2 of 2 kernels in every launch
// FINE: Stats: 0 reports
#include <cstring>

__global__ void reverse(int *to, const int *from, unsigned log2_n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1u << log2_n)
    // SMALL: ERROR: AddressSanitizer: heap-buffer-overflow
    // SMALL: READ of size 4
    // SMALL-NEXT: #0 reverse(int*, int const*, unsigned int) {{.*}}shifts.cu:[[#@LINE+3]]:
    // SMALL: located {{[0-9]+}} bytes after 2048-byte region
    // SMALL: allocated by host thread T0 here:
    to[i] = from[__brev(i) >> (32 - log2_n)];
}

__global__ void add(int *data, unsigned log2_n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, groups = 1u << (log2_n - 5);
#pragma unroll 1
  do {
    unsigned group = i >> 5, other = __brev(group) >> (32 - log2_n + 5);
    if (group > other)
      continue;
    // GROUPS: ERROR: AddressSanitizer: heap-buffer-overflow
    // GROUPS: #0 add(int*, unsigned int) {{.*}}shifts.cu:[[#@LINE+3]]:
    // GROUPS: located {{[0-9]+}} bytes after 2048-byte region
    // GROUPS: allocated by host thread T0 here:
    data[group * 32 + (threadIdx.x & 31)] += data[other * 32 + (threadIdx.x & 31)];
  } while ((i += blockDim.x * gridDim.x) < groups * 32);
}

int main(int, char **argv) {
  const int log2_n = 10, n = 1 << log2_n;
  const bool small = !strcmp(argv[1], "small"), groups = !strcmp(argv[1], "groups");
  int *to, *from;
  cudaMalloc(&to, (groups ? n / 2 : n) * sizeof *to);
  cudaMalloc(&from, (small ? n / 2 : n) * sizeof *from);
  cudaMemset(to, 0, (groups ? n / 2 : n) * sizeof *to);
  cudaMemset(from, 0, (small ? n / 2 : n) * sizeof *from);
  if (!groups)
    reverse<<<n / 128, 128>>>(to, from, log2_n);
  add<<<2, 128>>>(to, log2_n);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(from);
  return error != cudaSuccess;
}
