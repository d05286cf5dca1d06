// REQUIRES: two-devices
// A copy between devices is checked on both sides.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t to 2>&1 | FileCheck %s --check-prefix=TO
// RUN: not %run %t from 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <cstring>

int main(int count, char **arguments) {
  char *first, *second;
  bool to = count > 1 && !strcmp(arguments[1], "to"), from = count > 1 && !strcmp(arguments[1], "from");
  cudaSetDevice(0);
  cudaMalloc(&first, from ? 500 : 1000);
  cudaSetDevice(1);
  cudaMalloc(&second, to ? 500 : 1000);
  cudaMemset(second, 0, 500);
  // TO: ERROR: AddressSanitizer: heap-buffer-overflow
  // TO-NEXT: WRITE of size 1000 at {{0x[0-9a-f]+}} by cudaMemcpyPeer called by host thread T0:
  // TO: in main {{.*}}copies.cu:[[#@LINE+9]]:
  // TO: is located 0 bytes after 500-byte region
  // TO: in main {{.*}}copies.cu:[[#@LINE-6]]:
  // FROM: ERROR: AddressSanitizer: heap-buffer-overflow
  // FROM-NEXT: READ of size 1000 at {{0x[0-9a-f]+}} by cudaMemcpyPeer called by host thread T0:
  // FROM: in main {{.*}}copies.cu:[[#@LINE+4]]:
  // FROM: is located 0 bytes after 500-byte region
  // FROM: in main {{.*}}copies.cu:[[#@LINE-13]]:
  cudaSetDevice(0);
  cudaError_t error = cudaMemcpyPeer(second, 1, first, 0, 1000);
  cudaFree(first);
  cudaFree(second);
  return error != cudaSuccess;
}
