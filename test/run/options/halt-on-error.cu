// With halt_on_error=0 the program goes on after a report, and completes its later work. A place is reported once, and
// its errors are counted. An exit code of 0 becomes gasan's.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0:print_limit=1 %exit=5 %t 5 2>&1 | FileCheck %s --check-prefixes=CHECK,LIMIT
// RUN: %options=halt_on_error=0:exitcode=9 %exit=9 %t 0 2>&1 | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %options=halt_on_error=0:exitcode=0 %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0:exitcode=9:max_reports=2:print_repeated=1 %exit=9 %t 2>&1 | \
// RUN:   FileCheck %s --check-prefix=MOST
// RUN: %options=halt_on_error=1 not %run %t 2>&1 | FileCheck %s --check-prefix=ONE
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+22]]:
// LIMIT-NOT: ERROR
// TWO: ERROR: AddressSanitizer: attempting double-free
// CHECK-NOT: ERROR
// CHECK: the end
// CHECK-NEXT: ==gasan: these errors came again after their report; the counts have all of them:
// CHECK-NEXT: heap-buffer-overflow {{.*}}halt-on-error.cu:[[#@LINE+16]]:{{[0-9]+}} in store(int*, int):
// CHECK-SAME: {{^}} 3 threads in 3 launches
// LIMIT-NEXT: ==gasan: 1 more place with errors was not reported (GASAN_OPTIONS=print_limit=1)
// CHECK-NOT: ABORTING
// MOST: ERROR: AddressSanitizer: heap-buffer-overflow
// MOST: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+11]]:
// MOST: ERROR: AddressSanitizer: heap-buffer-overflow
// MOST: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+9]]:
// MOST-NOT: ERROR: AddressSanitizer
// ONE: ERROR: AddressSanitizer: heap-buffer-overflow
// ONE: #0 store(int*, int) {{.*}}halt-on-error.cu:[[#@LINE+6]]:
// ONE-NOT: ERROR: AddressSanitizer
#include <cstdio>
#include <cstdlib>

__global__ void store(int *values, int i) {
  values[i] = 1; // the line of the access
}

int main(int count, char **arguments) {
  int *values;
  cudaMalloc(&values, 100);
  for (int i = 24; i < 28; ++i) {
    store<<<1, 1>>>(values, i);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return 2;
  }
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(values);
  if (count > 1)
    cudaFree(values);
  fprintf(stderr, "the end\n");
  return count > 1 ? atoi(arguments[1]) : last != 1;
}
