// A variadic function reads more arguments than its caller passes.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O2 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed.O2
// RUN: %run %t.fixed.O2 2>&1 >/dev/null | %silent
#include <cstdarg>

__device__ __noinline__ int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = 0;
  for (int i = 0; i < count; ++i)
    // CHECK: ERROR: AddressSanitizer: stack-buffer-overflow
    // CHECK-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
    // CHECK-NEXT: #0 sum(int, ...) {{.*}}variadic.cu:[[#@LINE+1]]:
    total += va_arg(list, int);
  va_end(list);
  return total;
}

// CHECK: is located 0 bytes after stack variable '<variadic arguments>' of 'ask(int, int*)'
__global__ void ask(int count, int *out) {
  *out = sum(count, 1, 2, 3);
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof *out);
#ifdef FIXED
  ask<<<1, 1>>>(3, out);
#else
  ask<<<1, 1>>>(4, out);
#endif
  return cudaDeviceSynchronize();
}
