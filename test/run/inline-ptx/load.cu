// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A load through the read-only cache, in inline PTX of an inlined function, reads one element too many.
static __device__ int load_once(const int *where) {
  int value;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[FAULT]] by device thread (36,0,0) block (1,0,0) lane 4
  // CHECK-SAME: {{^}} (and 27 more threads of this kernel)
  // CHECK-NEXT: #0 load_once(int const*) {{.*}}load.cu:[[#@LINE+1]]:
  asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(value) : "l"(where));
  return value;
}

__global__ void copy(int *to, const int *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
  if (i < count)
#endif
    // CHECK-NEXT: #1 copy(int*, int const*, int) {{.*}}load.cu:[[#@LINE+1]]:
    to[i] = load_once(from + i);
}

int main() {
  int *to, *from;
  cudaMalloc(&to, 128 * sizeof(int));
  cudaMalloc(&from, 100 * sizeof(int));
  cudaMemset(from, 0, 100 * sizeof(int));
  copy<<<2, 64>>>(to, from, 100);
  // CHECK-NEXT: #2 copy(int*, int const*, int)<<<2, 64>>> launched here by host thread T0:
  // CHECK-NEXT: #3 {{.*}} in main {{.*}}load.cu:[[#@LINE-2]]:
  // CHECK: [[FAULT]] is located 0 bytes after 400-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  // CHECK: in main {{.*}}load.cu:[[#@LINE-8]]:
  // CHECK: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}} in load_once(int const*)
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(from);
  return error != cudaSuccess;
}
