// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A streaming store before the allocation.
__global__ void reverse(unsigned long long *values, int count) {
  int i = threadIdx.x;
#ifdef FIXED
  unsigned long long *where = values + count - 1 - i;
#else
  unsigned long long *where = values + count - 2 - i;
#endif
  if (i < count)
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
    // CHECK-NEXT: WRITE of size 8 at [[FAULT]] by device thread (19,0,0) block (0,0,0) lane 19{{$}}
    // CHECK-NEXT: #0 reverse(unsigned long long*, int) {{.*}}store.cu:[[#@LINE+1]]:
    asm volatile("st.global.cs.u64 [%0], %1;" : : "l"(where), "l"(1ull * i) : "memory");
}

int main() {
  unsigned long long *values;
  cudaMalloc(&values, 20 * sizeof *values);
  reverse<<<1, 32>>>(values, 20);
  // CHECK: [[FAULT]] is located 8 bytes before 160-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK: in main {{.*}}store.cu:[[#@LINE-4]]:
  unsigned long long result[20] = {};
  cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 20; ++i)
    if (result[i] != 19ull - i)
      return 3;
  return cudaFree(values) != cudaSuccess;
}
