// The ends of a search's range may leave the range at its start, if one end is moved below the middle. The proof must
// not assume that both ends stay between their start values.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t below 2>&1 | FileCheck %s
#include <cstring>

__global__ void narrow(const int *keys, int key, int count, int rounds, int *visits) {
  int low = 0, high = count - 1;
  for (int round = 0; round < rounds; ++round) {
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK: READ of size 4
    // CHECK-NEXT: #0 narrow(int const*, int, int, int, int*) {{.*}}search-below.cu:[[#@LINE+2]]:
    // CHECK: located 4 bytes before
    visits[high] += 1;
    const int middle = (low + high) / 2;
    if (keys[round] > key)
      high = middle - 1;
    else
      low = middle;
  }
}

int main(int, char **arguments) {
  const int keys[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  int *device_keys, *visits;
  cudaMalloc(&device_keys, sizeof keys);
  cudaMemcpy(device_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
  cudaMalloc(&visits, 16 * sizeof *visits);
  cudaMemset(visits, 0, 16 * sizeof *visits);
  narrow<<<1, 1>>>(device_keys, 5, 16, strcmp(arguments[1], "below") ? 3 : 8, visits);
  return cudaDeviceSynchronize() != cudaSuccess;
}
