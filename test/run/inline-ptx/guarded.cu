// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A load under a predicate, as at a tile's edge: while the predicate is false, nothing is accessed, and a wrong address
// is no error. The bug is a predicate that is true once too often.
__global__ void sum(const float *values, int count, float *result) {
  float value = 0;
#ifdef FIXED
  int last = count - 1;
#else
  int last = count;
#endif
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[FAULT]] by device thread (50,0,0) block (0,0,0) lane 18{{$}}
  // CHECK-NEXT: #0 sum(float const*, int, float*) {{.*}}guarded.cu:[[#@LINE+1]]:
  asm volatile("{ .reg .pred outside; setp.gt.s32 outside, %2, %3; @!outside ld.global.f32 %0, [%1]; }"
               : "+f"(value)
               : "l"(values + threadIdx.x), "r"(threadIdx.x), "r"(last));
  atomicAdd(result, value);
}

int main() {
  float *values, *result, total = 0;
  cudaMalloc(&values, 50 * sizeof *values);
  cudaMalloc(&result, sizeof *result);
  cudaMemset(values, 0, 50 * sizeof *values);
  cudaMemset(result, 0, sizeof *result);
  sum<<<1, 64>>>(values, 50, result);
  // CHECK: [[FAULT]] is located 0 bytes after 200-byte region
  cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
  return total != 0;
}
