// gasan-nvcc compiles by nvcc's front end what clang refuses, and says so; errors of both front ends are clang's.
// RUN: env CUDA_HOME=%cuda %gasan_nvcc -arch=sm_90 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: %gasan_nvcc %t.o -o %t
// RUN: not %t 2>&1 | FileCheck %s
// RUN: not env CUDA_HOME=%cuda %gasan_nvcc -arch=sm_90 -DWRONG -c %s -o %t.wrong.o 2>&1 \
// RUN:   | FileCheck --check-prefix=WRONG --implicit-check-not=nvcc %s
// RUN: not env CUDA_HOME=%cuda %gasan_nvcc --front-end=clang -arch=sm_90 -c %s -o %t.wrong.o 2>&1 \
// RUN:   | FileCheck --check-prefix=CLANG --implicit-check-not=nvcc %s
// RUN: env CUDA_HOME=%cuda %gasan_nvcc -arch=sm_90 -dc %s -o %t.rdc.o 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: %gasan_nvcc -arch=sm_90 -rdc=true %t.rdc.o -o %t.rdc
// RUN: not %t.rdc 2>&1 | FileCheck %s
// WARNING: gasan-nvcc: warning: clang refuses this source, so nvcc's front end has compiled it; checks do not know
// WARNING-SAME: {{^}} local arrays and fields in it (--front-end=nvcc: no warning). clang's first error:
// WARNING-NEXT: fallback.cu:[[#@LINE+15]]:{{.*}}: error: initialization is not supported for __shared__ variables
// WRONG: fallback.cu:[[#@LINE+14]]:{{.*}}: error: initialization is not supported for __shared__ variables
// WRONG: fallback.cu:[[#@LINE+20]]:{{.*}}: error: use of undeclared identifier 'missing'
// CLANG: fallback.cu:[[#@LINE+12]]:{{.*}}: error: initialization is not supported for __shared__ variables
#include <cstdio>

struct Counter {
  int value;
  __device__ Counter() : value(1) {}
};

__global__ void count_up(int *to, int n) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 count_up(int*, int) {{.*}}fallback.cu:[[#@LINE+4]]:
  __shared__ Counter counter;
  counter.value = n;
  __syncthreads();
  to[threadIdx.x] = counter.value;
}

#ifdef WRONG
int global = missing;
#endif

int main() {
  int *to;
  cudaMalloc(&to, 20 * sizeof *to);
  // CHECK: is located 0 bytes after 80-byte region
  count_up<<<1, 21>>>(to, 3);
  return cudaDeviceSynchronize();
}
