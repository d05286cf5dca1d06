// An overflow through a pointer among variadic arguments.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O2 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: not %run %t.shadow 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed.O2
// RUN: %run %t.fixed.O2 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow -DFIXED %s -o %t.fixed.shadow
// RUN: %run %t.fixed.shadow 2>&1 >/dev/null | %silent
#include <cstdarg>

__device__ __noinline__ double sum(int arrays, ...) {
  va_list list;
  va_start(list, arrays);
  double total = 0;
  for (int i = 0; i < arrays; ++i) {
    const double *values = va_arg(list, const double *);
    const int count = va_arg(list, int);
    for (int j = 0; j < count; ++j)
      // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
      // CHECK-NEXT: READ of size 8 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
      // CHECK-NEXT: #0 sum(int, ...) {{.*}}variadic.cu:[[#@LINE+1]]:
      total += values[j];
  }
  va_end(list);
  return total;
}

__global__ void sums(const double *a, int in_a, const double *b, int in_b, double *out) {
  *out = sum(2, a, in_a, b, in_b);
}

int main() {
  double *a, *b, *out;
  cudaMalloc(&a, 4 * sizeof *a);
  cudaMalloc(&b, 32 * sizeof *b);
  cudaMalloc(&out, sizeof *out);
  cudaMemset(a, 0, 4 * sizeof *a);
  cudaMemset(b, 0, 32 * sizeof *b);
#ifdef FIXED
  sums<<<1, 1>>>(a, 4, b, 32, out);
#else
  sums<<<1, 1>>>(a, 4, b, 33, out);
#endif
  // CHECK: is located 0 bytes after 256-byte region
  // CHECK: in main {{.*}}variadic.cu:[[#@LINE-10]]:
  return cudaDeviceSynchronize();
}
