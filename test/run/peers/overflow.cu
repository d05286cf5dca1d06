// REQUIRES: two-devices
// An overflow on the second device is reported with that device. The first device's kernels are right.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: not %run %t.bst 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void store(int *values, int index) {
  values[index] = 1;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on cuda device 1 address
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 store(int*, int) {{.*}}overflow.cu:[[#@LINE-3]]:
  // CHECK: in main {{.*}}overflow.cu:[[#@LINE+24]]:
  // CHECK: is located 0 bytes after 400-byte region
  // CHECK: in main {{.*}}overflow.cu:[[#@LINE+8]]:
}

int main() {
  int *first, *second;
  cudaSetDevice(0);
  cudaMalloc(&first, 800);
  cudaSetDevice(1);
  cudaMalloc(&second, 400);
#ifdef FIXED
  int index = 99;
#else
  int index = 100;
#endif
  cudaSetDevice(0);
  store<<<1, 1>>>(first, index);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 3;
  cudaSetDevice(1);
  // The last launch that the report could name.
  store<<<1, 1>>>(second, 0);
  cudaDeviceSynchronize();
  store<<<1, 1>>>(second, index);
  return cudaDeviceSynchronize() != cudaSuccess;
}
