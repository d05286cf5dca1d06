// A structure that is passed by value and has an array with an index of its own. The array's check sees the structure,
// but cannot write to it, so that its pointers and numbers still count for the launch proof. The index is proven, too;
// a launch with a bad index makes its check.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t long 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not %run %t index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %options=halt_on_error=0:print_stats=1 not %run %t index 2>&1 | FileCheck %s --check-prefix=REASON
// FINE: launch proof: 1 of 1 launches proven, by 1 evaluations; 1 of 1 kernels in every launch
// FINE: Stats: 0 reports
#include <cstring>

struct Weighted {
  int *data;
  int weights[8];
  int count, chosen;
};

__global__ void weigh(Weighted numbers) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // LONG: ERROR: AddressSanitizer: heap-buffer-overflow
  // LONG: READ of size 4
  // LONG-NEXT: #0 weigh(Weighted) {{.*}}parameter-array.cu:[[#@LINE+10]]:
  // LONG: located 0 bytes after 400-byte region
  // LONG: allocated by host thread T0 here:
  // INDEX: ERROR: AddressSanitizer: intra-object-overflow
  // INDEX: READ of size 4
  // INDEX-NEXT: #0 weigh(Weighted) {{.*}}parameter-array.cu:[[#@LINE+5]]:
  // INDEX: located 0 bytes after field 'Weighted::weights' defined in {{.*}} of size 32
  // REASON: 0 launches proven, 1 in part, 0 not; the latest (2 of 3 claims hold): {{.*}}:[[#@LINE+3]]:
  // REASON-SAME: {{^[0-9]+}} may have an index or offset of 32 to 32 (0 to 28 are inside of the array)
  if (i < numbers.count)
    numbers.data[i] *= numbers.weights[numbers.chosen];
}

int main(int argc, char **argv) {
  bool is_long = !strcmp(argv[1], "long"), is_index = !strcmp(argv[1], "index");
  Weighted numbers = {nullptr, {1, 2, 3, 4, 5, 6, 7, 8}, is_long ? 101 : 100, is_index ? 8 : 7};
  cudaMalloc(&numbers.data, 400);
  cudaMemset(numbers.data, 1, 400);
  weigh<<<4, 32>>>(numbers);
  cudaDeviceSynchronize();
  int first;
  cudaMemcpy(&first, numbers.data, 4, cudaMemcpyDeviceToHost);
  return first != 0x01010101 * 8;
}
