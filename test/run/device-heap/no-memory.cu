// If there is no memory for the heap, malloc in kernels returns null, and a message says so once. The program goes on.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t
// RUN: %run %t 2>&1 | FileCheck %s
// CHECK: {{returns null.*no memory for a heap of 70368744177664 .*; set a smaller cudaLimitMallocHeapSize|refused}}
// CHECK-NOT: no memory for a heap
// CHECK: null, as it should be
#include <cstdio>

__global__ void allocate(int *out) {
  void *p = malloc(40);
  *out = p != nullptr;
  free(p);
}

int main() {
  const size_t wanted = size_t(1) << 46;
  size_t limit = 0;
  int *out, got = -1;
  std::setbuf(stdout, nullptr);
  // A driver may give less than the program asks for.
  if (cudaDeviceSetLimit(cudaLimitMallocHeapSize, wanted) != cudaSuccess ||
      cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) != cudaSuccess || limit != wanted)
    return std::puts("the limit is refused; null, as it should be"), 0;
  cudaMalloc(&out, sizeof *out);
  for (int i = 0; i < 2; ++i) {
    allocate<<<1, 1>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return std::puts("a launch failed"), 1;
  }
  cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::puts(got ? "memory from nowhere" : "null, as it should be");
  cudaFree(out);
}
