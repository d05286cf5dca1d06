// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A pointer into shared memory is loaded from memory: its bounds are the whole shared memory of the block.
__global__ void fill(int *volatile *slots, int count) {
  extern __shared__ int region[];
  __shared__ int tile[32];
  tile[threadIdx.x] = 0;
  slots[0] = tile;
  slots[1] = region;
  slots[0][threadIdx.x] = 1;
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (31,0,0) block (0,0,0)
  // CHECK-NEXT: #0 fill(int* volatile*, int) {{.*}}from-memory.cu:[[#@LINE+1]]:
  slots[1][threadIdx.x * count / 31] = tile[31 - threadIdx.x];
}

int main() {
  int *volatile *slots;
  cudaMalloc(&slots, 2 * sizeof *slots);
#ifdef FIXED
  fill<<<1, 32, 256>>>(slots, 63);
#else
  fill<<<1, 32, 256>>>(slots, 64);
#endif
  int result = cudaDeviceSynchronize();
  cudaFree((void *)slots);
  return result;
}
