#include "fuzz.h"

#ifndef SHADOW_MODE
__device__ __noinline__ signed char *move209(signed char *from, int by) { return from + by; }
__device__  void work209(signed char *start, int *sink, int i, signed char *other, int into, int turn, int offset) {
  int sum = i;
  signed char *moved = turn ? move209(start, into) : move209(other, 0);
  int k = 1; sum += use((moved - into)[i + offset]);
  sink[i] = sum;
}
__global__ void kernel209(int count, int zero, int *sink, int into, int turn, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  signed char *start; { signed char inner[97]; prepare(inner, count); start = inner + zero; }
  signed char *other; { signed char inner[98]; prepare(inner, 98); other = inner + zero; }
  __syncthreads();
  work209(start, sink, i, other, into, turn, offset);
}
static void case209() { // scope, which, Shifted, stack-use-after-scope
  int *sink = allocate<int>(99);
  kernel209<<<3, 33>>>(97, 0, sink, 18, 1, 0);
  CUDA(cudaDeviceSynchronize());
}
#endif
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {
#ifndef SHADOW_MODE
    case 209: case209(); break;
#endif
    default: return 3;
    }
  }
}
// kept: {"level": "-O3", "cases": [{"number": 209, "space": "scope", "what": "scope, which, Shifted, stack-use-after-scope", "bst": {"kind": "stack-use-after-scope", "access": "READ", "size": 1, "part": 1, "line": 8, "threads": 99, "side": null, "distance": null}, "shadow": null}]}
