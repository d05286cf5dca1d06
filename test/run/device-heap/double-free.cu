// Two threads free the same memory. (The optimiser removes a malloc and its frees if the memory is not used.)
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void twice() {
  void *memory = malloc(100);
  free(memory);
#ifndef FIXED
  free(memory);
  // CHECK: ERROR: AddressSanitizer: attempting double-free on [[ADDRESS:0x[0-9a-f]+]] on {{.*}} device 0 in a kernel:
  // CHECK-NEXT: FREE of [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 twice() {{.*}}double-free.cu:[[#@LINE-3]]:
  // CHECK: [[ADDRESS]] is located 0 bytes inside of 100-byte region {{.*}} of the device heap
  // CHECK-NEXT: freed by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 twice() {{.*}}double-free.cu:10:
  // CHECK: previously allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 twice() {{.*}}double-free.cu:9:
  // CHECK: SUMMARY: AddressSanitizer: double-free {{.*}}double-free.cu:12:{{.*}} in twice()
#endif
}

int main() {
  twice<<<1, 1>>>();
  cudaDeviceSynchronize();
}
