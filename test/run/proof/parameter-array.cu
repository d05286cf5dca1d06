// A structure that is passed by value and has an array with an index of its own. The array's check sees the structure,
// but cannot write to it, so that its pointers and numbers still count for the launch proof.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t long 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not %run %t index 2>&1 | FileCheck %s --check-prefix=INDEX
// FINE: launch proof: 0 of 1 launches proven, 1 in part, by 1 evaluations
// FINE: weigh(Weighted): 0 launches proven, 1 in part, 0 not, 1 check in each launch{{$}}
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
  // LONG-NEXT: #0 weigh(Weighted) {{.*}}parameter-array.cu:[[#@LINE+8]]:
  // LONG: located 0 bytes after 400-byte region
  // LONG: allocated by host thread T0 here:
  // INDEX: ERROR: AddressSanitizer: intra-object-overflow
  // INDEX: READ of size 4
  // INDEX-NEXT: #0 weigh(Weighted) {{.*}}parameter-array.cu:[[#@LINE+3]]:
  // INDEX: located 0 bytes after field 'Weighted::weights' defined in {{.*}} of size 32
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
