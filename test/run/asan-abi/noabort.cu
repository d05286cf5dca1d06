// ASan's recover mode (-fsanitize-recover=address for LLVM's pass) calls the _noabort entry points: they report the
// fault, and the thread goes on. Without it the thread ends at the fault, and other threads go on.
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan -Xclang -fsanitize-recover=address -DGOES_ON %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: not %run %t 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: %gasan -O2 -fsanitize-gpu-address-checks=asan %s -o %t.ends
// RUN: %options=halt_on_error=0 not %run %t.ends 2>&1 | FileCheck %s --check-prefix=ENDS
// CHECK: READ of size 4 at {{.*}} by device thread (0,0,0) block (0,0,0) lane 0 (and 3 more threads of this kernel)
// CHECK-NEXT: #0 reach(int*, int*) {{.*}}noabort.cu:[[#@LINE+17]]:
// CHECK: WRITE of size 4 at {{.*}} by device thread (0,0,0) block (0,0,0) lane 0 (and 3 more threads of this kernel)
// CHECK-NEXT: #0 reach(int*, int*) {{.*}}noabort.cu:[[#@LINE+16]]:
// CHECK-NOT: ERROR: AddressSanitizer
// CHECK-NOT: ABORTING
// ONCE: READ of size 4
// ONCE-NEXT: #0 reach(int*, int*) {{.*}}noabort.cu:[[#@LINE+11]]:
// ONCE: ABORTING
// ENDS: READ of size 4
// ENDS-NEXT: #0 reach(int*, int*) {{.*}}noabort.cu:[[#@LINE+8]]:
// ENDS-NOT: ERROR: AddressSanitizer
#include <cstdio>

__global__ void reach(int *values, int *result) {
  volatile int *end = values + 25; // the redzone behind it has memory, since the chunk is small
  int value = 1;
  if (blockIdx.x == 0) {
    value += *end * 0;
    end[1 + threadIdx.x] = value;
  }
  result[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

int main() {
  int *values, *result, host[8];
  cudaMalloc(&values, 100);
  cudaMalloc(&result, sizeof host);
  cudaMemset(result, 0, sizeof host);
  reach<<<2, 4>>>(values, result);
  if (cudaDeviceSynchronize() != cudaSuccess ||
      cudaMemcpy(host, result, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 2;
  for (int i = 0; i < 8; ++i) {
#ifdef GOES_ON
    int expected = 1;
#else
    int expected = i >= 4;
#endif
    if (host[i] != expected) {
      printf("thread %d: %d instead of %d\n", i, host[i], expected);
      return 3;
    }
  }
}
