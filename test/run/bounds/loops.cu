// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: %run %t 100 1 2>&1 >/dev/null | %silent
// RUN: %run %t 34 3 2>&1 >/dev/null | %silent
// RUN: %run %t 100 0 2>&1 >/dev/null | %silent
// RUN: %run %t 0 1000 2>&1 >/dev/null | %silent
// RUN: not %run %t 101 1 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t 51 2 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t 35 3 2>&1 | FileCheck %s --check-prefix=FARTHER
// RUN: not %run %t 3 -1 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t 5 1073741824 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: %gasan -fsanitize-gpu-address-mode=bst -mllvm -gasan-loop-checks=false -O2 %s -o %t.each
// RUN: %run %t.each 100 1 2>&1 >/dev/null | %silent
// RUN: not %run %t.each 51 2 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t.each 5 1073741824 2>&1 | FileCheck %s --check-prefix=FAR
// A counted loop runs without its checks if all rounds are good, and with them otherwise. The report is of the first
// bad round. The buffer has 100 elements. The second argument is the step; with one step a 32-bit index leaves the
// buffer and wraps around into it.
#include <cstdlib>

__global__ void sum(const int *values, int *total, int rounds, int step) {
  // FAR: ERROR: AddressSanitizer:
  // FAR-NEXT: READ of size 4
  // FAR-NEXT: #0 sum(int const*, int*, int, int) {{.*}}loops.cu:[[#@LINE+9]]:
  // BEHIND: READ of size 4
  // BEHIND-NEXT: #0 sum(int const*, int*, int, int) {{.*}}loops.cu:[[#@LINE+7]]:
  // FARTHER: READ of size 4
  // FARTHER-NEXT: #0 sum(int const*, int*, int, int) {{.*}}loops.cu:[[#@LINE+5]]:
  // BEFORE: READ of size 4
  // BEFORE-NEXT: #0 sum(int const*, int*, int, int) {{.*}}loops.cu:[[#@LINE+3]]:
  int own = 0;
  for (int i = 0; i < rounds; i++)
    own += values[int(unsigned(i) * unsigned(step))];
  total[threadIdx.x] = own;
}

int main(int, char **arguments) {
  // BEHIND: is located 0 bytes after 400-byte region
  // FARTHER: is located 8 bytes after 400-byte region
  // BEFORE: is located 4 bytes before 400-byte region
  int *values, *total;
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMalloc(&total, 32 * sizeof(int));
  cudaMemset(values, 0, 100 * sizeof(int));
  sum<<<1, 32>>>(values, total, atoi(arguments[1]), atoi(arguments[2]));
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  cudaFree(total);
  return error != cudaSuccess;
}
