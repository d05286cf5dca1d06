// The option devices when compiling: what a program with code for one kind of device does on each kind.
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=%kind %s -o %t.one
// RUN: not %run %t.one 25 2>&1 | FileCheck %s
// RUN: %run %t.one 24 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=%kind -fgpu-rdc %s -o %t.rdc
// RUN: not %run %t.rdc 25 2>&1 | FileCheck %s
// RUN: %run %t.rdc 24 2>&1 >/dev/null | %silent
//
// Without code for the CPU device, a launch there fails, and a line says why.
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=cuda %s -o %t.cuda
// RUN: not %options=device=cpu %run %t.cuda 24 2>&1 | FileCheck %s --check-prefix=ONLY-CUDA
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=cuda -fgpu-rdc %s -o %t.cuda-rdc
// RUN: not %options=device=cpu %run %t.cuda-rdc 24 2>&1 | FileCheck %s --check-prefix=ONLY-CUDA
//
// Without code for GPUs, the program runs on the CPU device, wherever it is.
// RUN: %gasan -O2 -fsanitize-gpu-address-devices=cpu %s -o %t.cpu
// RUN: not %options=device=auto %run %t.cpu 25 2>&1 | FileCheck %s --check-prefix=ONLY-CPU
// RUN: not %options=device=cuda %run %t.cpu 24 2>&1 | FileCheck %s --check-prefix=REFUSED
//
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
// CHECK-NEXT: WRITE of size 4
// CHECK-NEXT: #0 {{.*}}store{{.*}} {{.*}}devices.cu:[[#@LINE+14]]:
// CHECK: is located 0 bytes after 100-byte region
// CHECK: allocated by host thread T0 here:
// ONLY-CUDA: gasan: kernel _Z5storePii cannot run on the CPU device: it was compiled with
// ONLY-CUDA-SAME: {{^}} -fsanitize-gpu-address-devices=cuda; compile it with -fsanitize-gpu-address-devices=auto
// ONLY-CUDA-NEXT: failed
// ONLY-CPU: ERROR: AddressSanitizer: heap-buffer-overflow on cpu device 0
// ONLY-CPU: #0 {{.*}}store{{.*}} {{.*}}devices.cu:[[#@LINE+7]]:
// REFUSED: gasan: ERROR: GASAN_OPTIONS=device=cuda, but the program was compiled with
// REFUSED-SAME: {{^}} -fsanitize-gpu-address-devices=cpu: it runs on the CPU device only
#include <cstdio>
#include <cstdlib>

__global__ void store(int *values, int i) {
  values[i] = 1;
}

int main(int count, char **arguments) {
  int *values;
  cudaMalloc(&values, 100);
  store<<<1, 1>>>(values, count > 1 ? atoi(arguments[1]) : 0);
  bool failed = cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess;
  if (failed)
    fputs("failed\n", stderr);
  cudaFree(values);
  return failed;
}
