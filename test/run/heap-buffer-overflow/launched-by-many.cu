// One function launches for many callers. The report names the caller of the faulting launch, not the caller of an
// earlier launch with a similar stack.
// RUN: %gasan -O1 -fno-optimize-sibling-calls %s -o %t
// RUN: not %run %t 1 2>&1 | FileCheck %s
// RUN: not %run %t 2 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: %run %t 0 2>&1 >/dev/null | %silent
#include <cstdlib>

__global__ void fill(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = i;
}

__attribute__((noinline)) void launch(int *p, int n) {
  fill<<<1, 32>>>(p, n);
}

// Both callers have the same frame size at the same depth.
__attribute__((noinline)) void first(int *p, int n) {
  launch(p, n);
}
__attribute__((noinline)) void second(int *p, int n) {
  launch(p, n);
}

int main(int argc, char **argv) {
  int bug = argc > 1 ? atoi(argv[1]) : 0;
  int *p;
  cudaMalloc(&p, 100 * sizeof(int));
  for (int i = 0; i < 50; i++) {
    first(p, 100);
    second(p, 100);
  }
  if (bug == 1)
    first(p, 101);
  cudaDeviceSynchronize();
  if (bug == 2)
    second(p, 101);
  cudaDeviceSynchronize();
  cudaFree(p);
}
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} device
// CHECK: WRITE of size 4 {{.*}} by device thread (4,0,0) block (0,0,0)
// CHECK-NEXT: #0 fill(int*, int) {{.*}}launched-by-many.cu:[[#@LINE-33]]:
// CHECK: launched here by host thread T0:
// CHECK-NEXT: in launch(int*, int) {{.*}}launched-by-many.cu:15:
// CHECK-NEXT: in first(int*, int) {{.*}}launched-by-many.cu:20:
// CHECK-NEXT: in main {{.*}}launched-by-many.cu:35:
// SECOND: launched here by host thread T0:
// SECOND-NEXT: in launch(int*, int) {{.*}}launched-by-many.cu:15:
// SECOND-NEXT: in second(int*, int) {{.*}}launched-by-many.cu:23:
// SECOND-NEXT: in main {{.*}}launched-by-many.cu:38:
