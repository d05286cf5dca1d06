#include <cooperative_groups.h>

__global__ void waits(const float *from, const int *where, float *to, int rounds) {
  int own = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    to[own] = from[where[own]] + from[where[own + 1]] + from[where[own + 2]] + from[where[own + 3]];
    cooperative_groups::this_grid().sync();
  }
}
__global__ void __launch_bounds__(256, 4) bounded(const float *from, const int *where, float *to, int rounds) {
  int own = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; round++) {
    to[own] = from[where[own]] + from[where[own + 1]] + from[where[own + 2]] + from[where[own + 3]];
    cooperative_groups::this_grid().sync();
  }
}
