// An access one element past an array that the kernel has allocated. The report has the line of the malloc.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
__device__ __forceinline__ int *make(int count) {
  return static_cast<int *>(malloc(count * sizeof(int)));
}

__global__ void fill(int count, int last, int *sum) {
  int *values = make(count);
  for (int i = 0; i <= last; ++i)
    values[i] = i;
  for (int i = 0; i < count; ++i)
    *sum += values[i];
  free(values);
}

int main() {
  int *sum;
  cudaMalloc(&sum, sizeof(int));
#ifdef FIXED
  fill<<<2, 32>>>(10, 9, sum);
#else
  fill<<<2, 32>>>(10, 10, sum);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} address [[ADDRESS:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 4 at [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-SAME: {{^}} (and 63 more threads of this kernel)
  // CHECK-NEXT: #0 fill(int, int, int*) {{.*}}overflow.cu:15:
  // CHECK: [[ADDRESS]] is located 0 bytes after 40-byte region {{.*}} of the device heap
  // CHECK-NEXT: allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 make(int) {{.*}}overflow.cu:9:
  // CHECK: fill(int, int, int*) {{.*}}overflow.cu:13:
  // CHECK: fill(int, int, int*)<<<2, 32>>> launched here by host thread T0:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}overflow.cu:15:{{.*}} in fill(int, int, int*)
#endif
  cudaDeviceSynchronize();
  cudaFree(sum);
}
