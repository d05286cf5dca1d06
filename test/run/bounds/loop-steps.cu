// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t.unproven
// RUN: %run %t.unproven 2 2>&1 >/dev/null | %silent
// RUN: not %run %t 4611686018427387904 2>&1 | FileCheck %s
// RUN: not %run %t.unproven 4611686018427387904 2>&1 | FileCheck %s
// A loop whose steps are so large that their sum wraps around: the last of five rounds is where the first one is, and
// the others are far outside.
#include <cstdlib>

__global__ void sum(const char *from, int *to, long long step, int count) {
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < count; i++)
    // CHECK: ERROR: AddressSanitizer: {{wild-address|heap-buffer-overflow}}
    // CHECK: READ of size 1
    // CHECK-NEXT: #0 sum(char const*, int*, long long, int) {{.*}}loop-steps.cu:[[#@LINE+1]]:
    sum += from[i * step];
  *to = sum;
}

int main(int, char **arguments) {
  char *from;
  int *to;
  cudaMalloc((void **)&from, 16);
  cudaMalloc((void **)&to, sizeof *to);
  cudaMemset(from, 1, 16);
  sum<<<1, 1>>>(from, to, atoll(arguments[1]), 5);
  return cudaDeviceSynchronize() != cudaSuccess;
}
