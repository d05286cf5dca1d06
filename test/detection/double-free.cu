// cudaFree of memory that has been freed.
// CATEGORY: double-free
// CASE: device
// CASE: managed
#include "case.h"

int main(int, char **arguments) {
  words = arguments;
  int *values = allocate(100), *others = allocate(100);
  CUDA(cudaFree(values));
  // CHECK: ERROR: AddressSanitizer: attempting double-free
  // CHECK: in main {{.*}}double-free.cu:[[#@LINE+7]]:
  // CHECK: is located 0 bytes inside of 400-byte region
  // CHECK: freed by host thread T0 here:
  // CHECK: in main {{.*}}double-free.cu:[[#@LINE-5]]:
  // CHECK: allocated by host thread T0 here:
  // DEVICE: cudaMalloc
  // MANAGED: cudaMallocManaged
  CUDA(cudaFree(BUG_OR_FIXED(values, others)));
  return 0;
}
