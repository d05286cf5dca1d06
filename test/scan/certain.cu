// A witness must not depend on values that the analysis does not follow, but they may stand in its formula.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
#include <cstdlib>

__global__ void choose(int *p, const int *seed, int i, bool random) {
  if (random)
    i = __shfl_sync(~0u, *seed, 0);
  // CHECK: certain.cu:[[@LINE+1]]:8: write in choose(int*, int const*, int, bool): possible heap-buffer-overflow
  p[i] = 1;
}

__global__ void never(int *p, const int *seed, int i, bool random) {
  if (!random)
    i = 0;
  else if (__shfl_sync(~0u, *seed, 0) == i) // may hold for each i, or for none
    i = 0;
  // CHECK: certain.cu:[[@LINE+1]]:8: write in never(int*, int const*, int, bool): unknown
  p[i] = 1;
}

__global__ void fixed(int *p, const int *seed, int i, bool random) {
  if (random)
    i = __shfl_sync(~0u, *seed, 0) & 3;
  // CHECK: certain.cu:[[@LINE+1]]:8: write in fixed(int*, int const*, int, bool): proven
  p[i] = 1;
}

int main(int argc, char **argv) {
  int *p, *seed;
  const int i = atoi(argv[1]);
  const bool random = atoi(argv[2]);
  if (i < 0 || i > 4)
    return 2;
  cudaMalloc(&p, 4 * sizeof(int));
  cudaMalloc(&seed, sizeof(int));
  cudaMemset(seed, 0, sizeof(int));
  choose<<<1, 32>>>(p, seed, i, random);
  never<<<1, 32>>>(p, seed, i, random);
  fixed<<<1, 32>>>(p, seed, i & 3, random);
}
