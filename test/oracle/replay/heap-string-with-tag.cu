#include "fuzz.h"


__device__ __noinline__ unsigned *move117(unsigned *from, int by) { return from + by; }
__device__  void work117(unsigned *start, int *sink, int i, unsigned *other, int into, int turn, int piece, int end) {
  int sum = i;
  unsigned *moved = turn ? move117(start, into) : move117(other, 0);
  int k = 3; for (unsigned *q = (moved - into) + i * piece, *last = q + end; q != last; ++q) { sum += printf("%.4s", reinterpret_cast<const char *>(&q[0])) & 0; }
  sink[i] = sum;
}
__global__ void kernel117(unsigned *start, int *sink, unsigned *other, int into, int turn, int piece, int end) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  work117(start, sink, i, other, into, turn, piece, end);
}
static void case117() { // heap, which, WalkUp, silent
  unsigned *p = allocate<unsigned>(70);
  unsigned *other = allocate<unsigned>(71);
  int *sink = allocate<int>(14);
  kernel117<<<2, 7>>>(p, sink, other, 50, 1, 5, 5);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(p));
  CUDA(cudaFree(other));
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {

    case 117: case117(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O2", "switches": ["-fsanitize-gpu-address-tags=on"], "cases": [{"number": 117, "space": "heap", "what": "heap, which, WalkUp, silent", "bst": {"kind": "silent"}, "shadow": {"kind": "silent"}}]}
