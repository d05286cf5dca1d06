// A program places two arrays in one dynamic region of shared memory. An access past the first array reaches the second
// one.
// CATEGORY: shared
// CASE: several dynamic read
// CASE: several dynamic write
#include "case.h"

__global__ void load(int *sink, int count, int index) {
  extern __shared__ int region[];
  int *left = region, *right = region + count;
  left[threadIdx.x] = threadIdx.x;
  right[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // READ: READ of size 4
  // READ: #0 load(int*, int, int) {{.*}}shared-partitions.cu:[[#@LINE+2]]:
  if (threadIdx.x == 0)
    *sink = left[index] + right[8] - 1008;
}

__global__ void store(int *sink, int count, int index) {
  extern __shared__ int region[];
  int *left = region, *right = region + count;
  left[threadIdx.x] = threadIdx.x;
  right[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  // WRITE: WRITE of size 4
  // WRITE: #0 store(int*, int, int) {{.*}}shared-partitions.cu:[[#@LINE+2]]:
  if (threadIdx.x == 0)
    left[index] = 63;
  __syncthreads();
  *sink = left[63] + right[8] - 1008;
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  int index = BUG_OR_FIXED(64, 63);
  if (chosen("read"))
    load<<<1, 64, 512>>>(sink, 64, index);
  else
    store<<<1, 64, 512>>>(sink, 64, index);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  return finish(result, 63);
}
