#include "fuzz.h"

template <typename T> __device__ __noinline__ T *hide116(T *from, int by) { return from + by; } __device__ __noinline__ float *gone116(int count, int zero) { float inner[2]; prepare(inner, count); return hide116(inner, zero); }
__device__ __forceinline__ void work116(float *start, int *sink, int i, int into, int turn, int last) {
  int sum = i;
  float *p = start;
  int k = 2; sum += use(*const_cast<volatile float *>(&p[last - i]));
  sink[i] = sum;
}
__global__ void kernel116(int count, int zero, int *sink, int into, int turn, int last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float *start = gone116(count, zero);
  __syncthreads();
  work116(start, sink, i, into, turn, last);
}
static void case116() { // returned, straight, Backwards, stack-use-after-return
  int *sink = allocate<int>(2);
  kernel116<<<2, 1>>>(2, 0, sink, 0, 1, 0);
  CUDA(cudaDeviceSynchronize());
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {
    case 116: case116(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O0", "cases": [{"number": 116, "space": "returned", "what": "returned, straight, Backwards, stack-use-after-return", "bst": {"kind": "stack-use-after-return", "access": "READ", "size": 4, "part": 4, "line": 7, "threads": 2, "side": null, "distance": null}, "shadow": null}]}
