#include "fuzz.h"


__device__ __noinline__ Triple *deep7(Triple *from, int by) { return by > 0 ? deep7(from + 1, by - 1) : from; }
__device__ __noinline__ void work7(Triple *start, int *sink, int i, int into, int turn, long long high) {
  int sum = i;
  __syncthreads();
  Triple *moved = deep7(start, into % 7);
  int k = 5; sum += printf("%.12s", reinterpret_cast<const char *>(&(moved - into % 7)[static_cast<int>(high + i)])) & 0;
  sink[i] = sum;
}
__global__ void kernel7(Triple *start, int *sink, int into, int turn, long long high) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  work7(start, sink, i, into, turn, high);
}
static void case7() { // heap, recursion, Truncated, heap-buffer-overflow
  Triple *p = allocate<Triple>(30);
  int *sink = allocate<int>(32);
  kernel7<<<1, 32>>>(p, sink, 20, 1, 4294967296ll);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(p));
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {

    case 7: case7(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O0", "switches": ["-fsanitize-gpu-address-tags=on"], "cases": [{"number": 7, "space": "heap", "what": "heap, recursion, Truncated, heap-buffer-overflow", "bst": {"kind": "heap-buffer-overflow", "access": "READ", "size": 1, "part": 1, "line": 9, "threads": 2, "side": "after", "distance": 0}, "shadow": {"kind": "heap-buffer-overflow", "access": "READ", "size": 1, "part": 1, "line": 9, "threads": 2, "side": "after", "distance": 0}}]}
