#include <cstdio>

__global__ void fill(int *to) {
  to[threadIdx.x] = 7;
}

#ifdef REFUSED
struct Counter {
  int value;
  __device__ Counter() : value(1) {}
};
__global__ void count(int *to) {
  __shared__ Counter counter;
  to[threadIdx.x] = counter.value;
}
#endif

int main() {
  int *to;
  cudaMalloc(&to, 20 * sizeof *to);
  fill<<<1, 21>>>(to);
  return cudaDeviceSynchronize();
}
