// A use after free with LLVM's AddressSanitizer pass and gasan's device runtime: the whole report, also with -fgpu-rdc.
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -fgpu-rdc -fsanitize-gpu-address-checks=asan -c %s -o %t.o
// RUN: %gasan -O2 -fgpu-rdc -fsanitize-gpu-address-checks=asan %t.o -o %t.rdc
// RUN: not %run %t.rdc 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-checks=asan %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// CHECK: ERROR: AddressSanitizer: heap-use-after-free
// CHECK-NEXT: READ of size 4 at {{.*}} by device thread (2,0,0) block (1,0,0) lane 2
// CHECK-SAME: {{^}} (and 5 more threads of this kernel)
// CHECK-NEXT: #0 sum(int const*, int*) {{.*}}use-after-free.cu:[[#@LINE+8]]:
// CHECK-NEXT: #1 sum(int const*, int*)<<<2, 8>>> launched here by host thread T0:
// CHECK: freed by host thread T0 here:
// CHECK: previously allocated by host thread T0 here:
// CHECK: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}}use-after-free.cu:[[#@LINE+4]]:{{[0-9]+}}
// CHECK-SAME: {{^}} in sum(int const*, int*)
__global__ void sum(const int *values, int *result) {
  if (blockIdx.x == 1 && threadIdx.x >= 2)
    atomicAdd(result, values[threadIdx.x]);
}

int main() {
  int *values, *result;
  cudaMalloc(&values, 40);
  cudaMalloc(&result, 4);
  cudaMemset(values, 1, 40);
  cudaMemset(result, 0, 4);
#ifndef FIXED
  cudaFree(values);
#endif
  sum<<<2, 8>>>(values, result);
  return cudaDeviceSynchronize() != cudaSuccess;
}
