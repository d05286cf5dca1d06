// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t wrong 2>&1 | FileCheck %s
// The same element of buffers at a constant distance from each other, each of which has its own bounds.
__global__ void both(float *to, int more) {
  extern __shared__ float memory[];
  __attribute__((annotate("gasan_partition"))) float *sums = memory;
  __attribute__((annotate("gasan_partition"))) float *weights = memory + 64;
  int i = threadIdx.x + more;
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK: WRITE of size 4 at {{.*}} by device thread (63,0,0) block (0,0,0)
  // CHECK-NEXT: #0 both(float*, int) {{.*}}carved-neighbours.cu:[[#@LINE+2]]:
  // CHECK: located 0 bytes after dynamic shared memory 'sums' {{.*}}of size 256
  sums[i] = 1;
  weights[i] = 2;
  __syncthreads();
  to[threadIdx.x] = sums[63 - threadIdx.x] * weights[63 - threadIdx.x];
}

int main(int argc, char **) {
  float *to;
  cudaMalloc((void **)&to, 64 * sizeof *to);
  both<<<1, 64, 2 * 64 * sizeof *to>>>(to, argc > 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
