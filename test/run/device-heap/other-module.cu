// Kernels of one module use memory that kernels of another module have allocated.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s %S/inputs/look.cu -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -fgpu-rdc %s %S/inputs/look.cu -o %t.rdc
// RUN: not %run %t.rdc 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s %S/inputs/look.cu -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
void callLook(int *values, int at);

__global__ void make(int **kept) {
  int *values = static_cast<int *>(malloc(10 * sizeof(int)));
  for (int i = 0; i < 10; ++i)
    values[i] = i;
  *kept = values;
}

int main() {
  int *plain, *values, **kept;
  cudaMalloc(&plain, sizeof *plain);
  cudaMalloc(&kept, sizeof *kept);
  callLook(plain, 0);
  make<<<1, 1>>>(kept);
  cudaMemcpy(&values, kept, sizeof values, cudaMemcpyDeviceToHost);
  callLook(values, 9);
#ifndef FIXED
  callLook(values, 10);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 4
  // CHECK-NEXT: #0 look(int*, int) {{.*}}look.cu:4:
  // CHECK: is located 0 bytes after 40-byte region {{.*}} of the device heap
  // CHECK-NEXT: allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 make(int**) {{.*}}other-module.cu:11:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}look.cu:4:
#endif
  cudaDeviceSynchronize();
  cudaFree(plain);
  cudaFree(kept);
}
