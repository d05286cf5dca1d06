// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t wrong 2>&1 | FileCheck %s
// An access under a predicate, at a constant distance from one without. While the predicate is false, its address may
// be wrong.
__global__ void pairs(int *values, int count, int guard) {
  int i = threadIdx.x;
  values[i] = i;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 4 at [[FAULT]] by device thread (49,0,0) block (0,0,0) lane 17{{$}}
  // CHECK-NEXT: #0 pairs(int*, int, int) {{.*}}guarded-neighbour.cu:[[#@LINE+1]]:
  asm volatile("{ .reg .pred inside; setp.lt.s32 inside, %2, %3; @inside st.global.u32 [%0+4], %1; }"
               :
               : "l"(values + i), "r"(count), "r"(i + guard), "r"(count)
               : "memory");
}

int main(int argc, char **) {
  int *values;
  cudaMalloc((void **)&values, 50 * sizeof *values);
  // CHECK: [[FAULT]] is located 0 bytes after 200-byte region
  pairs<<<1, 50>>>(values, 50, argc == 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
