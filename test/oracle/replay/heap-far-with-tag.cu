#include "fuzz.h"


__device__  void work45(int *start, int *sink, int i, int into, int turn, long far) {
  int sum = i;
  __syncthreads();
  int *p = start;
  long k = i + far; *const_cast<volatile int *>(&p[k]) = make<int>(sum);
  sink[i] = sum;
}
__global__ void kernel45(int *start, int *sink, int into, int turn, long far) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  work45(start, sink, i, into, turn, far);
}
static void case45() { // heap, straight, Far, heap-buffer-overflow
  int *p = allocate<int>(32);
  int *other = allocate<int>(34);
  int *sink = allocate<int>(32);
  kernel45<<<1, 32>>>(p, sink, 6, 1, other - p);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(p));
  CUDA(cudaFree(other));
}
int main(int, char **arguments) {
  while (*++arguments) {
    fprintf(stderr, "case %s\n", *arguments);
    switch (atoi(*arguments)) {

    case 45: case45(); break;
    default: return 3;
    }
  }
}
// kept: {"level": "-O3", "switches": ["-fsanitize-gpu-address-tags=on"], "cases": [{"number": 45, "space": "heap", "what": "heap, straight, Far, heap-buffer-overflow", "bst": {"kind": "heap-buffer-overflow", "access": "WRITE", "size": 4, "part": 4, "line": 8, "threads": 32, "side": null, "distance": null}, "shadow": {"kind": "silent"}}]}
