#include "fuzz.h"

__device__ __noinline__ unsigned short *move58(unsigned short *from, int by) { return from + by; }
__device__  void work58(unsigned short *start, int *sink, int i, unsigned short *other, int into, int turn, const int *index) {
  int sum = i;
  unsigned short *moved = turn ? move58(start, into) : move58(other, 0);
  int k = index[i]; sum += use((moved - into)[k]);
  sink[i] = sum;
}
__global__ void kernel58(int count, int zero, int *sink, int into, int turn, const int *index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned short *shared_start; if (threadIdx.x == 0) shared_start = static_cast<unsigned short *>(malloc(count * sizeof(unsigned short))); __syncthreads(); unsigned short *start = shared_start;
  prepare(start, count);
  __shared__ unsigned short *shared_other; if (threadIdx.x == 0) shared_other = static_cast<unsigned short *>(malloc(26 * sizeof(unsigned short))); __syncthreads(); unsigned short *other = shared_other;
  prepare(other, 26);
  __syncthreads();
  if (threadIdx.x == 0) free(start);
  __syncthreads();
  work58(start, sink, i, other, into, turn, index);
  sink[i] += use(start[zero]);
}
static void case58() { // device heap, which, Indirect, heap-use-after-free
  int *sink = allocate<int>(32);
  int *index = indices({19, 12, 22, 16, 19, 14, 5, 5, 25, 20, 9, 16, 12, 8, 18, 25, 13, 25, 11, 0, 19, 22, 1, 4, 1, 22, 19, 19, 8, 20, 11, 4});
  kernel58<<<1, 32>>>(27, 0, sink, 4, 1, index);
  CUDA(cudaDeviceSynchronize());
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {
    case 58: case58(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O2", "cases": [{"number": 58, "space": "device heap", "what": "device heap, which, Indirect, heap-use-after-free", "bst": {"kind": "heap-use-after-free", "access": "READ", "size": 2, "part": 2, "line": 7, "threads": 32, "side": "inside", "distance": 38}, "shadow": null}]}
