// The oracle's build: the host's AddressSanitizer checks device code. It runs on the CPU device only.
// REQUIRES: cpu
// RUN: %gasan -O2 -fsanitize=address -fsanitize-gpu-address-checks=host %s -o %t
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %run %t 25 2>&1 | FileCheck %s
// RUN: env ASAN_OPTIONS=detect_leaks=0 not %run %t 25 freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: env ASAN_OPTIONS=detect_leaks=0 %run %t 24 2>&1 >/dev/null | %silent
// RUN: %options=device=cuda not %run %t 24 2>&1 | FileCheck %s --check-prefix=CUDA
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on address
// CHECK: WRITE of size 4 at {{0x[0-9a-f]+}} thread T{{[0-9]+}}
// FREED: ERROR: AddressSanitizer: heap-use-after-free on address
// FREED: #0 {{0x[0-9a-f]+}} in store {{.*}}host-checks.cu:[[#@LINE+13]]:
// CUDA: GASAN_OPTIONS=device=cuda, but the program was compiled with -fsanitize-gpu-address-checks=host:
// CUDA-SAME: {{^}} it runs on the CPU
#include <cstdlib>

// A barrier and an early return: threads are fibers, and one leaves its stack without returning to its caller.
__global__ void store(int *values, int i) {
  __shared__ int last;
  if (threadIdx.x == 3)
    asm volatile("exit;");
  last = i;
  __syncthreads();
  // CHECK: #0 {{.*}}host-checks.cu:[[#@LINE+1]]:
  values[last] = 1;
}

int main(int count, char **arguments) {
  int *values;
  cudaMalloc(&values, 100);
  if (count > 2)
    cudaFree(values);
  store<<<2, 32>>>(values, atoi(arguments[1]));
  // CHECK: is located 0 bytes after 100-byte region
  // FREED: freed by thread T0 here:
  cudaError_t error = cudaDeviceSynchronize();
  if (count == 2)
    cudaFree(values);
  return error != cudaSuccess;
}
