// cudaFree of an address in the middle of an allocation.
// CATEGORY: invalid-free
// CASE: device
// CASE: managed
#include "case.h"

int main(int, char **arguments) {
  words = arguments;
  int *values = allocate(100);
  // CHECK: ERROR: AddressSanitizer: attempting free on address which was not
  // CHECK: in main {{.*}}invalid-free.cu:[[#@LINE+4]]:
  // CHECK: is located 16 bytes inside of 400-byte region
  // DEVICE: cudaMalloc
  // MANAGED: cudaMallocManaged
  CUDA(cudaFree(values + BUG_OR_FIXED(4, 0)));
  return 0;
}
