// The heap takes a quarter more than its limit, or twice the limit, if it can, and little more if it must: with a limit
// of nine tenths of the free memory, malloc in kernels still gives memory.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// ALONE: it takes most of the device's memory
#include <cstdio>

__global__ void allocate(int *out) {
  void *p = malloc(40);
  *out = p != nullptr;
  free(p);
}

int main() {
  size_t available, total;
  int *out, got = 0;
  cudaMalloc(&out, sizeof *out);
  cudaMemGetInfo(&available, &total);
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, available / 10 * 9) != cudaSuccess)
    return 1;
  allocate<<<1, 1>>>(out);
  cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(out);
  return !got;
}
