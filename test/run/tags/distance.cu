// A kernel adds the distance of two pointers: the result has the other allocation's tag. The report's distance is that
// of the addresses. A pointer into shared memory has no tag, whatever its upper bits are.
// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: %options=halt_on_error=0 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 %s -fsanitize-gpu-address-tags -o %t.plain
// RUN: %options=halt_on_error=0 not %run %t.plain 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent

__global__ void far(int *values, long distance) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 far(int*, long) {{.*}}distance.cu:[[#@LINE+1]]:
  values[distance] = 1;
  // CHECK: is located {{[1-9][0-9]?[0-9]?[0-9]?[0-9]?}} bytes after 128-byte region
  // CHECK: This address is in another allocation, which the pointer does not belong to:
  // CHECK: is located 0 bytes inside of 128-byte region
}

__global__ void wrapped(long index, int *sum) {
  __shared__ int shared[32];
  shared[threadIdx.x] = 1;
  __syncthreads();
  // CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHECK-NEXT: READ of size 4
  // CHECK-NEXT: #0 wrapped(long, int*) {{.*}}distance.cu:[[#@LINE+1]]:
  *sum = shared[threadIdx.x + index];
  // CHECK: is located 1152921504606846848 bytes after shared variable 'shared'
}

int main() {
  int *values, *other, *sum;
  cudaMalloc(&values, 32 * sizeof(int));
  cudaMalloc(&other, 32 * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
#ifdef FIXED
  const long distance = 0, index = 0;
#else
  const long distance = other - values, index = 1l << 58;
#endif
  far<<<1, 1>>>(values, distance);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  wrapped<<<1, 1>>>(index, sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
