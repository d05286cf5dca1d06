// A launch proof may rely on stream-ordered memory in its allocation stream, which usually frees it. After the program
// has freed such memory in another stream, no proof relies on it.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t own 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: %options=print_stats=1 %run %t legacy 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: %options=print_stats=1 %run %t plain 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: %options=print_stats=1 %run %t other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %options=print_stats=1 %run %t not-blocking 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: %options=print_stats=1 %run %t freed-other 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=print_stats=1 %run %t malloc-freed-other 2>&1 | FileCheck %s --check-prefix=FREED
// OWN: launch proof: 2 of 2 launches proven
// OTHER: launch proof: 0 of 2 launches proven
// OTHER: fill(int*, int): 0 launches proven, 2 not; the latest: argument 1 points to memory that another
// OTHER-SAME: {{^}} stream may free
// FREED: launch proof: 1 of 2 launches proven
// FREED: fill(int*, int): 1 launches proven, 0 not, 1 not tried, because the program frees memory in other streams than
// FREED-SAME: {{^}} it was allocated in
#include <cstring>

__global__ void fill(int *values, int count) {
  if (threadIdx.x < count)
    values[threadIdx.x] = count;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  cudaStream_t own, other, not_blocking;
  cudaStreamCreate(&own);
  cudaStreamCreate(&other);
  cudaStreamCreateWithFlags(&not_blocking, cudaStreamNonBlocking);
  cudaStream_t allocated = own, launched = own, freed = own;
  if (!strcmp(what, "legacy"))
    allocated = freed = nullptr;
  if (!strcmp(what, "other"))
    launched = other;
  if (!strcmp(what, "not-blocking")) {
    allocated = freed = nullptr;
    launched = not_blocking;
  }
  if (!strcmp(what, "freed-other"))
    freed = other;
  for (int round = 0; round < 2; round++) {
    int *values;
    if (!strcmp(what, "plain") || !strcmp(what, "malloc-freed-other"))
      cudaMalloc((void **)&values, 100 * sizeof(int));
    else
      cudaMallocAsync((void **)&values, 100 * sizeof(int), allocated);
    fill<<<1, 128, 0, launched>>>(values, 100);
    cudaStreamSynchronize(launched);
    if (!strcmp(what, "plain"))
      cudaFree(values);
    else
      cudaFreeAsync(values, freed);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
