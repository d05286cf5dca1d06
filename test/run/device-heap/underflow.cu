// An access before memory that another kernel has allocated. The pointer is loaded from device memory.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
#include <new>

__device__ short *kept;
__device__ int result;

__global__ void make(int count) {
  kept = new short[count];
  for (int i = 0; i < count; ++i)
    kept[i] = i;
}

__global__ void look(int at) {
  result = kept[at];
}

int main() {
  make<<<1, 1>>>(7);
#ifdef FIXED
  look<<<1, 1>>>(0);
#else
  look<<<1, 1>>>(-2);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} address [[ADDRESS:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 2 at [[ADDRESS]] by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 look(int) {{.*}}underflow.cu:20:
  // CHECK: [[ADDRESS]] is located 4 bytes before 14-byte region {{.*}} of the device heap
  // CHECK-NEXT: allocated by device thread (0,0,0) block (0,0,0) lane 0 here:
  // CHECK-NEXT: #0 operator new
  // CHECK: make(int) {{.*}}underflow.cu:14:
  // CHECK-NEXT: make(int)<<<1, 1>>> launched here by host thread T0:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}underflow.cu:20:
#endif
  cudaDeviceSynchronize();
}
