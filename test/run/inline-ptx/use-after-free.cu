// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// ld.acquire reads a freed flag, through an address that the inline PTX converts.
__global__ void look(int *flag, int *result) {
  int value;
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free on {{cpu|cuda}} device 0 address [[ADDRESS:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[ADDRESS]] by device thread (0,0,0)
  // CHECK-NEXT: #0 look(int*, int*) {{.*}}use-after-free.cu:[[#@LINE+1]]:
  asm volatile("{ .reg .u64 address;\n\t"
               "cvta.to.global.u64 address, %1;\n\t"
               "ld.acquire.gpu.global.s32 %0, [address+12]; }"
               : "=r"(value)
               : "l"(flag)
               : "memory");
  *result = value;
}

int main() {
  int *flag, *result;
  cudaMalloc(&flag, 4 * sizeof *flag);
  cudaMalloc(&result, sizeof *result);
  cudaMemset(flag, 0, 4 * sizeof *flag);
#ifndef FIXED
  cudaFree(flag);
#endif
  look<<<1, 1>>>(flag, result);
  // CHECK: [[ADDRESS]] is located 12 bytes inside of 16-byte region
  // CHECK-NEXT: freed by host thread T0 here:
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE-5]]:
  // CHECK: previously allocated by host thread T0 here:
  // CHECK: in main {{.*}}use-after-free.cu:[[#@LINE-11]]:
  return cudaDeviceSynchronize() != cudaSuccess;
}
