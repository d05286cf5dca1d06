// Two kernels delete one object. The second delete first runs the destructor, which accesses no memory.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=bst %s -o %t.0
// RUN: not %run %t.0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
#include <new>

__device__ int destroyed;
struct Object {
  double values[4];
  __device__ ~Object() { ++destroyed; }
};
__device__ Object *object;

__global__ void make() {
  object = new Object();
}

__global__ void drop() {
  delete object;
#ifdef FIXED
  object = nullptr;
#endif
  // CHECK: ERROR: AddressSanitizer: attempting double-free on
  // CHECK-NEXT: FREE of
  // CHECK-NEXT: #0 operator delete
  // CHECK: drop() {{.*}}double-delete.cu:22:
  // CHECK-NEXT: drop()<<<1, 1>>> launched here
  // CHECK-NEXT: main {{.*}}double-delete.cu
  // CHECK: is located 0 bytes inside of 32-byte region
  // CHECK: drop() {{.*}}double-delete.cu:22:
  // CHECK: make() {{.*}}double-delete.cu:18:
  // CHECK: SUMMARY: AddressSanitizer: double-free {{.*}}double-delete.cu:22:{{.*}} in drop()
}

int main() {
  make<<<1, 1>>>();
  drop<<<1, 1>>>();
  drop<<<1, 1>>>();
  cudaDeviceSynchronize();
}
