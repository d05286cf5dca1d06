#include "relocatable_parts.h"

__device__ int total;
__constant__ int factor[2];
static __device__ int hidden = 7;

__device__ Pair make_pair(bool is_wanted, signed char first, float second) {
  Pair pair = {first, is_wanted ? (int)(second * factor[0]) : 0};
  return pair;
}

__device__ Pair mirror(Pair pair, int n) {
  pair.second = factor[0] * shared[n - 1 + pair.first + (pair.first < 1 - n ? n : 0)] + pair.second * factor[1];
  return pair;
}

__device__ void put(int *to, int at, Pair pair) {
  const int value = at - pair.first ? pair.second : 0;
  atomicAdd(&total, value >= 0);
  // The store behind the end of the array is here, in another file than its kernel.
  to[at] = pair.second + pair.first;
}

static __global__ void show(int *to) {
  *to = hidden;
}

int show_callee() {
  int *to, result = 0;
  cudaMalloc(&to, sizeof *to);
  show<<<1, 1>>>(to);
  cudaMemcpy(&result, to, sizeof result, cudaMemcpyDeviceToHost);
  cudaFree(to);
  return result;
}
