// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 --offload-arch=sm_80 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A kernel copies a tile to shared memory in pieces of 16 bytes. The last piece must read fewer bytes and fill with
// zeros.
__global__ void copy_tile(const float *from, float *to, int count) {
  __shared__ alignas(16) float tile[64];
  int first = 4 * threadIdx.x, bytes = 16;
#ifdef FIXED
  bytes = min(16, max(0, int(sizeof(float)) * (count - first)));
#endif
  unsigned where = __cvta_generic_to_shared(tile + first);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (12,0,0) block (0,0,0) lane 12
  // CHECK-SAME: {{^}} (and 3 more threads of this kernel)
  // CHECK-NEXT: #0 copy_tile(float const*, float*, int) {{.*}}async-copy.cu:[[#@LINE+1]]:
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(where), "l"(from + first), "r"(bytes)
               : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" : : : "memory");
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    to[first + i] = tile[first + i];
}

int main() {
  float *from, *to, result[64];
  cudaMalloc(&from, 50 * sizeof(float));
  cudaMalloc(&to, 64 * sizeof(float));
  for (int i = 0; i < 50; ++i)
    result[i] = i + 1;
  cudaMemcpy(from, result, 50 * sizeof(float), cudaMemcpyHostToDevice);
  copy_tile<<<1, 16>>>(from, to, 50);
  // CHECK: [[FAULT]] is located 0 bytes after 200-byte region
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (result[i] != (i < 50 ? i + 1 : 0))
      return 3;
  return 0;
}
