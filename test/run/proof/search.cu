// A search in an array of a structure that is passed by value. The ends of its range stay between their start values,
// and the number that bounds the thread's index is known at the launch. A search whose end may leave the array is
// checked.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=print_stats=1 %run %t wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t long 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not %run %t pieces 2>&1 | FileCheck %s --check-prefix=PIECES
// FINE: launch proof: 1 of 1 launches proven, by 1 evaluations; 1 of 1 kernels in every launch
// FINE: Stats: 0 reports
// WIDE: launch proof: 0 of 1 launches proven, 1 in part
// WIDE: may have an index or offset of
// WIDE: Stats: 0 reports
#include <cstring>

constexpr int Most = 6;

struct Pieces {
  int begins[Most + 1], count;
};

__global__ void number(Pieces from, int *out, const int *zeros, int mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // PIECES: ERROR: AddressSanitizer: intra-object-overflow
  // PIECES: READ of size 4
  // PIECES-NEXT: #0 number(Pieces, int*, int const*, int) {{.*}}search.cu:[[#@LINE+2]]:
  // PIECES: located 0 bytes after field 'Pieces::begins' defined in {{.*}} of size 28
  if (i >= from.begins[from.count])
    return;
  int low = 0, high = from.count;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (from.begins[middle] <= i)
      low = middle + (zeros[low] & mask); // the proof does not know the numbers in memory
    else
      high = middle;
  }
  // LONG: ERROR: AddressSanitizer: heap-buffer-overflow
  // LONG: WRITE of size 4
  // LONG-NEXT: #0 number(Pieces, int*, int const*, int) {{.*}}search.cu:[[#@LINE+3]]:
  // LONG: located 0 bytes after 400-byte region
  // LONG: allocated by host thread T0 here:
  out[i] = low + from.begins[low];
}

int main(int argc, char **argv) {
  auto is = [&](const char *name) { return !strcmp(argv[1], name); };
  Pieces from = {{0, 10, 30, 31, 60, 90, is("long") ? 101 : 100}, is("pieces") ? Most + 1 : Most};
  int *out, *zeros;
  cudaMalloc(&out, 400);
  cudaMalloc(&zeros, sizeof from.begins);
  cudaMemset(out, 0, 400);
  cudaMemset(zeros, 0, sizeof from.begins);
  number<<<4, 32>>>(from, out, zeros, is("wide") ? 128 : 0);
  cudaDeviceSynchronize();
  int last = 0;
  cudaMemcpy(&last, out + 99, 4, cudaMemcpyDeviceToHost);
  return is("fine") && last != 95;
}
