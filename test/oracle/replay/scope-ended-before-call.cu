#include "fuzz.h"

__device__ __noinline__ void work9(int *start, int *sink, int i, int into, int turn, int offset) {
  int sum = i;
  int *p = start;
  int k = 1; *const_cast<volatile int *>(&p[i + offset]) = make<int>(sum);
  sink[i] = sum;
}
__global__ void kernel9(int count, int zero, int *sink, int into, int turn, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *start; { int inner[2]; prepare(inner, count); start = inner + zero; }
  __syncthreads();
  work9(start, sink, i, into, turn, offset);
}
static void case9() { // scope, straight, Shifted, stack-use-after-scope
  int *sink = allocate<int>(2);
  kernel9<<<2, 1>>>(2, 0, sink, 0, 1, 3);
  CUDA(cudaDeviceSynchronize());
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {
    case 9: case9(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O2", "cases": [{"number": 9, "space": "scope", "what": "scope, straight, Shifted, stack-use-after-scope", "bst": {"kind": "stack-use-after-scope", "access": "WRITE", "size": 4, "part": 4, "line": 6, "threads": 2, "side": null, "distance": null}, "shadow": null}]}
