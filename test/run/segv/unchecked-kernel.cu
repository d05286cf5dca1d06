// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t wait 2>&1 | FileCheck %s
// RUN: not %run %t ask 2>&1 | FileCheck %s
// RUN: not %run %t leave 2>&1 | FileCheck %s
// RUN: %options=exitcode=23 %exit=23 %t leave 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 not %run %t wait 2>&1 | FileCheck %s --check-prefix=GOES-ON
// RUN: %options=halt_on_error=0 not %run %t leave 2>&1 | FileCheck %s
// RUN: %options=suppressions=%S/inputs/kernel.supp %run %t wait 2>&1 | FileCheck %s --check-prefix=SUPPRESSED
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed wait 2>&1 >/dev/null | %silent
// A kernel without checks accesses an address without memory. The process ends with exitcode, even if the program never
// queries CUDA's errors. With halt_on_error=0 there is one report, and the program gets the error. Where the log of
// the Linux kernel can be read, the report has the page.
// CHECK: ERROR: AddressSanitizer: {{SEGV|null-address}} on {{cpu|cuda}} device 0
// CHECK-SAME: {{unknown address|(address|page) 0x000000001000}}
// CHECK: {{[Nn]o check covered it}}
// CHECK: touch(int*, int)<<<2, 32>>>{{( \(has no checks\))?}} launched here by host thread T0:
// CHECK-NEXT: #0 {{.*}} in main {{.*}}unchecked-kernel.cu:[[#@LINE+30]]
// CHECK: SUMMARY: AddressSanitizer: {{SEGV|null-address}} {{.*}}unchecked-kernel.cu:{{32|48}}:
// GOES-ON: ERROR: AddressSanitizer: {{SEGV|null-address}} on
// GOES-ON: SUMMARY: AddressSanitizer: {{SEGV|null-address}} {{.*}}unchecked-kernel.cu:{{32|48}}:
// GOES-ON-NOT: ERROR: AddressSanitizer
// GOES-ON-NOT: ABORTING
// GOES-ON: error 700
// GOES-ON: still error 700
// SUPPRESSED: error 700
// SUPPRESSED-NOT: AddressSanitizer
#include <cstdio>
#include <cstring>

__attribute__((no_sanitize("address"))) __global__ void touch(int *values, int i) {
  values[i + threadIdx.x] = 1;
}
__global__ void checked(int *values) {
  values[threadIdx.x] = 2;
}

int main(int, char **arguments) {
  int *values;
  cudaMalloc(&values, 64 * sizeof(int));
  checked<<<1, 64>>>(values);
  cudaDeviceSynchronize();
#ifdef FIXED
  int *at = values;
#else
  int *at = reinterpret_cast<int *>(4096);
#endif
  touch<<<2, 32>>>(at, 0);
  if (!strcmp(arguments[1], "ask"))
    while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    }
  if (!strcmp(arguments[1], "wait")) {
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
      printf("error %d\n", int(error));
    checked<<<1, 64>>>(values);
    error = cudaGetLastError();
    if (error != cudaSuccess)
      printf("still error %d\n", int(error));
    fflush(stdout);
  }
  return 0;
}
