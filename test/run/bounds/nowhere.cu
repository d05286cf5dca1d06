// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %options=lookup=tree not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// Accesses by pointers to addresses without memory are reported.
#include <cstring>

__global__ void load(const int *values, int *result) {
  // NULL: ERROR: AddressSanitizer: null-address
  // NULL: READ of size 4 at 0x000000000008
  // NULL: #0 load(int const*, int*) {{.*}}nowhere.cu:[[#@LINE+6]]:
  // NULL: 0x000000000008 is no address of memory: the pointer is null
  // WILD: ERROR: AddressSanitizer: wild-address
  // WILD: #0 load(int const*, int*) {{.*}}nowhere.cu:[[#@LINE+3]]:
  // WILD: The pointer is too far from any allocation to belong to it; this is the nearest:
  // WILD-NEXT: bytes after 400-byte region
  *result = values ? values[2] : values[2] + 1;
}

__global__ void maybe(const int *values, int *result) {
  if (values)
    *result = values[2];
}

int main(int, char **arguments) {
  int *values;
  cudaMalloc(&values, 400);
  cudaMemset(values, 0, 400);
  if (!strcmp(arguments[1], "null"))
    load<<<1, 1>>>(nullptr, values);
  if (!strcmp(arguments[1], "wild"))
    load<<<1, 1>>>(values + (64 << 20), values);
  if (!strcmp(arguments[1], "fine")) {
    maybe<<<1, 1>>>(nullptr, values);
    load<<<1, 1>>>(values + 97, values);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
