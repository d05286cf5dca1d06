// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles not %run %t 2>&1 | FileCheck %s
// RUN: %options=pool=handles:handle_bits=5 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-pool=handles -o %t.fixed
// RUN: %options=pool=handles %run %t.fixed 2>&1 >/dev/null | %silent
// Device memory contains a freed chunk's handle. The memory has been reused many times, the id has not.
__global__ void write(int *const *pointer) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 write(int* const*) {{.*}}use-after-free.cu:[[#@LINE+1]]:
  **pointer = 1;
}

int main() {
  int *values, **pointer;
  cudaMalloc(&values, 4096);
  cudaMalloc(&pointer, sizeof *pointer);
  cudaMemcpy(pointer, &values, sizeof values, cudaMemcpyHostToDevice);
#ifndef FIXED
  cudaFree(values);
  for (int i = 0; i < 20; i++) {
    int *other;
    cudaMalloc(&other, 4096);
    cudaFree(other);
  }
#endif
  write<<<1, 1>>>(pointer);
  // CHECK: is located 0 bytes inside of 4096-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE-10]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE-16]]:
  return cudaDeviceSynchronize() != cudaSuccess;
}
