// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-partitions -O0 %s -o %t.O0
// RUN: not %run %t.O0 | %check
// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-partitions -O2 %s -o %t
// RUN: not %run %t | %check
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DMARK %s -o %t.marked
// RUN: not %run %t.marked | %check
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t.off
// RUN: %run %t.off | %silent
// RUN: %gasan -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-partitions -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed | %silent
// Two buffers in dynamic shared memory, and a view of both, which is excepted.
#ifdef MARK
#define PARTITION __attribute__((annotate("gasan_partition")))
#else
#define PARTITION
#endif

__global__ void scale(int *result, int count) {
  extern __shared__ int region[];
  PARTITION int *left = region;
  PARTITION int *right = left + 64;
  __attribute__((annotate("gasan_no_partition"))) int *middle = region + 32;
  middle[threadIdx.x] = 1;
  __syncthreads();
  right[threadIdx.x] = 2;
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (63,0,0) block (0,0,0)
  // CHECK-NEXT: #0 scale(int*, int) {{.*}}partitions.cu:[[#@LINE+2]]:
  // CHECK: is located 0 bytes after dynamic shared memory 'left' {{.*}}of size 256
  left[threadIdx.x * count / 63] = 3;
  result[threadIdx.x] = middle[threadIdx.x];
}

int main() {
  int *result;
  cudaMalloc(&result, 64 * sizeof *result);
#ifdef FIXED
  scale<<<1, 64, 512>>>(result, 63);
#else
  scale<<<1, 64, 512>>>(result, 64);
#endif
  int error = cudaDeviceSynchronize();
  cudaFree(result);
  return error;
}
