// A block of 1,024 threads may have 64 registers a thread. The kernel takes more with some checks, and also with all of
// them. So its bounded variant runs in a form with fewer registers (GASAN_FITTED_PREFIX).
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 1024 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %options=print_stats=1 %run %t 256 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %options=launch_proof=0 %run %t 1024 2>&1 >/dev/null | %silent
// RUN: not %run %t 1024 bad 2>&1 | FileCheck %s --check-prefix=BAD
// STATS: launch proof: 0 of 1 launches proven, 1 in part, by 1 evaluations
// STATS: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstdlib>

__global__ void mix(const float *a, const float *b, const int *where, float *to, int rounds, int n) {
  float values[20];
#pragma unroll
  for (int i = 0; i < 20; i++)
    // BAD: ERROR: AddressSanitizer: heap-buffer-overflow
    // BAD: READ of size 4
    // BAD-NEXT: #0 mix(float const*, float const*, int const*, float*, int, int) {{.*}}large-blocks.cu:[[#@LINE+3]]:
    // BAD: located 4 bytes after 256-byte region
    // BAD: allocated by host thread T0 here:
    values[i] = a[where[threadIdx.x + i]];
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < 20; i++)
      values[i] = values[i] * b[where[(round + i) % n] + threadIdx.x] + values[(i + 7) % 20];
#pragma unroll
  for (int i = 0; i < 20; i++)
    to[where[threadIdx.x + i]] = values[i];
}

int main(int argc, char **arguments) {
  int *where = array<int>(1044), outside = 65;
  if (argc > 2)
    cudaMemcpy(where + 700, &outside, sizeof outside, cudaMemcpyHostToDevice);
  mix<<<1, atoi(arguments[1])>>>(array<float>(64), array<float>(1024), where, array<float>(64), 9, 20);
  return cudaDeviceSynchronize() != cudaSuccess;
}
