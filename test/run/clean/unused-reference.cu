// A reference to freed memory that no thread reads. The optimiser must not read it early, though C++ promises that what
// a reference refers to exists.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t read 2>&1 | FileCheck %s
__device__ __noinline__ float sum(const float &factor, const int *chosen, int count) {
  float result = 0;
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK: READ of size 4
  // CHECK-NEXT: #0 sum(float const&, int const*, int) {{.*}}unused-reference.cu:[[#@LINE+5]]:
  // CHECK: freed by host thread T0 here:
  // CHECK: previously allocated by host thread T0 here:
  for (int i = 0; i < count; i++)
    if (chosen[i])
      result += chosen[i] * factor;
  return result;
}

__global__ void sums(const float *factor, const int *chosen, int count, float *to) {
  to[threadIdx.x] = sum(*factor, chosen + threadIdx.x * count, count);
}

int main(int count, char **) {
  float *factor, *to;
  int *chosen, host[32 * 4] = {};
  host[100] = count > 1;
  cudaMalloc((void **)&factor, sizeof *factor);
  cudaMalloc((void **)&to, 32 * sizeof *to);
  cudaMalloc((void **)&chosen, sizeof host);
  cudaMemcpy(chosen, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(factor);
  sums<<<1, 32>>>(factor, chosen, 4, to);
  return cudaDeviceSynchronize() != cudaSuccess;
}
