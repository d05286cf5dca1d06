// RUN: %gasan -O0 -DMARK %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DMARK %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.unmarked
// RUN: %run %t.unmarked 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DMARK -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Annotations overrule the analysis, which takes the index with `half` for a sign of views that overlap on purpose.
#ifdef MARK
#define PARTITION __attribute__((annotate("gasan_partition")))
#else
#define PARTITION
#endif

__global__ void scale(int *result, int half, int moved) {
  extern __shared__ int region[];
  PARTITION int *left = region;
  PARTITION int *right = left + half;
  __attribute__((annotate("gasan_no_partition"))) int *middle = region + half / 2;
  middle[threadIdx.x] = 1;
  __syncthreads();
  right[threadIdx.x] = 2;
  __syncthreads();
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 scale(int*, int, int) {{.*}}marked-partitions.cu:[[#@LINE+3]]:
  // CHECK: is located 0 bytes after dynamic shared memory 'left' {{.*}}of size 256
  if (moved)
    left[threadIdx.x + half] = 3;
  result[threadIdx.x] = middle[threadIdx.x];
}

int main() {
  int *result;
  cudaMalloc(&result, 64 * sizeof *result);
#ifdef FIXED
  scale<<<1, 64, 512>>>(result, 64, 0);
#else
  scale<<<1, 64, 512>>>(result, 64, 1);
#endif
  int error = cudaDeviceSynchronize();
  cudaFree(result);
  return error;
}
