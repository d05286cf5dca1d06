// Errors are reported of some kernels, or of some launches, only.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=kernels=first not %run %t 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: %options=kernels='^(second|third)[(]' not %run %t 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: %options=kernels=third %run %t 2>&1 | %silent
// RUN: %options=halt_on_error=0:launch_skip=2 not %run %t 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: %options=halt_on_error=0:print_repeated=1:kernels=first:launch_skip=1:launch_count=2 not %run %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SOME
// RUN: %options=launch_skip=6 %run %t 2>&1 | %silent
// RUN: %options=kernels='(' %exit=1 %t 2>&1 | FileCheck %s --check-prefix=WRONG
// FIRST: heap-buffer-overflow
// FIRST: #0 first(int*, int) {{.*}}filters.cu:[[#@LINE+14]]:
// FIRST: ABORTING
// SECOND-NOT: #0 first
// SECOND: #0 second(int*, int) {{.*}}filters.cu:[[#@LINE+15]]:
// SECOND-NOT: #0 second
// SOME: first(int*, int)<<<1, 2>>>
// SOME: first(int*, int)<<<1, 3>>>
// SOME-NOT: >>>
// WRONG: gasan: ERROR: GASAN_OPTIONS=kernels=( is no extended regular expression (
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %options=kernels=first:launch_skip=1 %run %t.fixed 2>&1 | %silent

__global__ void first(int *values, int i) {
  if (threadIdx.x == 0)
    values[i] = 1;
}

__global__ void second(int *values, int i) {
  values[i] = 2;
}

int main() {
  int *values, last = 25;
#ifdef FIXED
  last = 24;
#endif
  cudaMalloc(&values, 100);
  for (int threads = 1; threads <= 4; threads++) {
    if (threads == 3)
      second<<<1, 1>>>(values, last);
    first<<<1, threads>>>(values, last);
    cudaDeviceSynchronize();
  }
  return 0;
}
