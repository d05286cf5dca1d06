// A kernel frees a pointer into the middle of an allocation of the device heap.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
__device__ int result;

__global__ void walk(int count) {
  int *values = static_cast<int *>(malloc(count * sizeof(int))), *at = values;
  for (int i = 0; i < count; ++i)
    *at++ = i;
  result = at[-1];
#ifdef FIXED
  free(values);
#else
  free(at - 6);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: [[ADDRESS:0x[0-9a-f]+]] on
  // CHECK-SAME: {{^}} {{.*}} in a kernel:
  // CHECK-NEXT: FREE of [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 walk(int) {{.*}}bad-free-interior.cu:[[#@LINE-4]]:
  // CHECK: [[ADDRESS]] is located 16 bytes inside of 40-byte region {{.*}} of the device heap
  // CHECK-NEXT: allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 walk(int) {{.*}}bad-free-interior.cu:11:
  // CHECK: SUMMARY: AddressSanitizer: bad-free {{.*}} in walk(int)
#endif
}

int main() {
  walk<<<1, 1>>>(10);
  cudaDeviceSynchronize();
}
