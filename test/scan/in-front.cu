// A way of the host's code that reads in front of memory ends no analysis. The kernel's access is proven.
// RUN: %verdicts -w %s | FileCheck %s
#include <cstdlib>

__global__ void write(int *out, int index) {
  // CHECK: in-front.cu:[[@LINE+1]]:14: write in write(int*, int): proven
  out[index] = 1;
}

int main(int argc, char **argv) {
  unsigned *values = (unsigned *)malloc(16);
  values[0] = argc;
  int index = 0;
  if (argc > 5 && values[-1] < values[0])
    index = 1;
  int *out;
  cudaMalloc(&out, 8);
  write<<<1, 1>>>(out, index);
}
