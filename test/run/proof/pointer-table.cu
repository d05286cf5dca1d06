// Pointers in a structure that is passed by value, of which the kernel computes the number. The launch passes the
// bounds of all of them. A pointer that the host does not know (freed memory, a number that is no pointer) is looked up
// by the threads that use it; the other ones are still proven or compared.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=print_stats=1 %run %t unused 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t long 2>&1 | FileCheck %s --check-prefixes=BAD,LONG
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefixes=BAD,FREED
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefixes=BAD,NULL
// FINE: Stats:   gather({{.*}}): 0 launches proven, 1 in part, 0 not
// FINE: Stats: 0 reports
#include <cstring>

struct Piece {
  int length;
  int *data;
};

struct Pieces {
  int *result;
  Piece pieces[5];
};

__global__ void gather(Pieces from, const int *which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Piece &piece = from.pieces[which[i / 32]];
  // LONG: ERROR: AddressSanitizer: heap-buffer-overflow
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // NULL: ERROR: AddressSanitizer: null-address
  // BAD: READ of size 4
  // BAD-NEXT: #0 gather(Pieces, int const*) {{.*}}pointer-table.cu:[[#@LINE+5]]:
  // LONG: located 0 bytes after 128-byte region
  // LONG: allocated by host thread T0 here:
  // FREED: located 0 bytes inside of 128-byte region
  // FREED: freed by host thread T0 here:
  from.result[i] = piece.data[i % 32 + piece.length - 32];
}

int main(int argc, char **argv) {
  Pieces from;
  memset(&from, 0, sizeof from);
  int *which, order[] = {2, 0, 3, 1};
  cudaMalloc(&which, sizeof order);
  cudaMemcpy(which, order, sizeof order, cudaMemcpyHostToDevice);
  cudaMalloc(&from.result, 4 * 128);
  for (int i = 0; i < 4; i++) {
    cudaMalloc(&from.pieces[i].data, 128);
    cudaMemset(from.pieces[i].data, i, 128);
    from.pieces[i].length = 32;
  }
  if (!strcmp(argv[1], "long"))
    from.pieces[1].length = 33;
  if (!strcmp(argv[1], "freed"))
    cudaFree(from.pieces[1].data);
  if (!strcmp(argv[1], "null"))
    from.pieces[1].data = nullptr;
  if (!strcmp(argv[1], "unused")) // as the stack may have left it
    from.pieces[4].data = (int *)0x123456789;
  gather<<<4, 32>>>(from, which);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  int results[128];
  cudaMemcpy(results, from.result, sizeof results, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; i++)
    if (results[i] != 0x01010101 * order[i / 32])
      return 1;
  return 0;
}
