// A function frees memory and then uses it: its earlier look-up of the bounds is no longer valid.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
__device__ int result;

__global__ void use(int count) {
  int *values = static_cast<int *>(malloc(count * sizeof(int)));
  for (int i = 0; i < count; ++i)
    values[i] = i;
#ifdef FIXED
  result = values[3];
  free(values);
#else
  free(values);
  result = values[3];
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free on {{.*}} address [[ADDRESS:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 use(int) {{.*}}use-after-free.cu:[[#@LINE-3]]:
  // CHECK: [[ADDRESS]] is located 12 bytes inside of 80-byte region {{.*}} of the device heap
  // CHECK-NEXT: freed by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 use(int) {{.*}}use-after-free.cu:[[#@LINE-7]]:
  // CHECK: previously allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 use(int) {{.*}}use-after-free.cu:11:
  // CHECK: SUMMARY: AddressSanitizer: heap-use-after-free
#endif
}

int main() {
  use<<<1, 1>>>(20);
  cudaDeviceSynchronize();
}
