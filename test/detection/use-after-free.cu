// A kernel uses freed memory: at once, or (delayed) after an allocation of the same size.
// CATEGORY: use-after-free
// CASE: immediate device
// CASE: immediate managed
// CASE: delayed device
// CASE: delayed managed
#include "case.h"

__global__ void load(const int *values, int *sink, int index) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK: #0 load(int const*, int*, int) {{.*}}use-after-free.cu:[[#@LINE+1]]:
  *sink = values[index];
}

int main(int, char **arguments) {
  words = arguments;
  // CHECK: is located 28 bytes inside of 400-byte region
  // CHECK: freed by host thread T0 here:
  // CHECK: cudaFree
  // CHECK: allocated by host thread T0 here:
  // DEVICE: cudaMalloc
  // MANAGED: cudaMallocManaged
  int *sink = allocate(1);
  int *values = allocate(100);
  int *used = values;
  CUDA(cudaFree(values));
  int *again = chosen("delayed") || BUG_OR_FIXED(false, true) ? allocate(100) : nullptr;
  load<<<1, 1>>>(BUG_OR_FIXED(used, again), sink, 7);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(again));
  CUDA(cudaFree(sink));
  return finish(result, 7);
}
