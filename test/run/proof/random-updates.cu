// Updates at random places of a table: the size of the table masks a number that a long computation makes. The mask
// alone bounds the index, however much work the number would take. All launches are proven, and a wrong size is found.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t small 2>&1 | FileCheck %s --check-prefix=SMALL
// FINE: launch proof: 2 of 2 launches proven, by 2 evaluations; 2 of 2 kernels in every launch
// FINE: Stats: 0 reports
#include <cstring>

using u64 = unsigned long long;

__host__ __device__ u64 next(u64 x) {
  return (x << 1) ^ ((long long)x < 0 ? 7 : 0);
}

// Returns number n of the sequence: squares the matrix of 64 steps for each bit of n.
__device__ u64 start(u64 n) {
  u64 powers[64], x = 1;
  if (n == 0)
    return 1;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    powers[i] = x;
    x = next(next(x));
  }
  int i = 62;
  while (i >= 0 && !((n >> i) & 1))
    i--;
  for (x = 2; i > 0;) {
    u64 sum = 0;
#pragma unroll
    for (int j = 0; j < 64; j++)
      if ((x >> j) & 1)
        sum ^= powers[j];
    x = sum;
    if ((n >> --i) & 1)
      x = next(x);
  }
  return x;
}

__global__ void fill(u64 *table, u64 size) {
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    table[i] = i;
}

__global__ void update(u64 *table, u64 size, int rounds) {
  u64 x = start((u64)rounds * (blockIdx.x * blockDim.x + threadIdx.x));
  for (int i = 0; i < rounds; i++) {
    x = next(x);
    // SMALL: ERROR: AddressSanitizer: heap-buffer-overflow
    // SMALL: of size 8
    // SMALL: #2 update(unsigned long long*, unsigned long long, int) {{.*}}random-updates.cu:[[#@LINE+3]]:
    // SMALL: located {{[0-9]+}} bytes after 4096-byte region
    // SMALL: allocated by host thread T0 here:
    atomicXor(&table[x & (size - 1)], x);
  }
}

int main(int, char **argv) {
  const u64 size = 1024;
  const bool small = !strcmp(argv[1], "small");
  u64 *table;
  cudaMalloc(&table, (small ? size / 2 : size) * sizeof *table);
  fill<<<2, 128>>>(table, small ? size / 2 : size);
  update<<<2, 64>>>(table, size, 20);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(table);
  return error != cudaSuccess;
}
