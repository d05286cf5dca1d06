// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=launch_proof=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A kernel carves two arrays out of dynamic shared memory. An access past the first array reaches the second one.
__global__ void scale(int *result, int count, int bound) {
  extern __shared__ int region[];
  int *left = region;
  int *right = left + count;
  right[threadIdx.x] = 2;
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 scale(int*, int, int) {{.*}}partitions.cu:[[#@LINE+3]]:
  // CHECK: is located 0 bytes after dynamic shared memory 'left' {{.*}}of size 256
  for (int i = threadIdx.x; i < bound; i += blockDim.x)
    left[i] = 3;
  __syncthreads();
  result[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}

int main() {
  int *result;
  cudaMalloc(&result, 64 * sizeof *result);
#ifdef FIXED
  scale<<<1, 64, 512>>>(result, 64, 64);
#else
  scale<<<1, 64, 512>>>(result, 64, 65);
#endif
  int error = cudaDeviceSynchronize();
  cudaFree(result);
  return error;
}
