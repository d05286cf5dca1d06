// A branch that repeats the condition of its loop: the condition holds behind the branch, too.
// RUN: %verdicts %s 2>&1 | FileCheck %s --implicit-check-not=ERROR
// RUN: not %verdicts -DBUG %s 2>&1 | FileCheck %s --check-prefix=BUG
#include <cstdlib>

__global__ void repeat(int *p, int n, const int *zero) {
  const int i = threadIdx.x;
#ifndef BUG
  if (n == 0) // the loop has no rounds
#endif
    for (int part = n; part > 0; part >>= 1) {
      if (part > zero[0])
        p[0] = 1;
      for (int j = i; j <= 4; j += 4) {
        p[0] = part;
        // CHECK: repeated-conditions.cu:[[@LINE+2]]:14: write in repeat(int*, int, int const*): proven
        // BUG: repeated-conditions.cu:[[@LINE+1]]:14: write in repeat(int*, int, int const*): possible
        p[i] = 1;
      }
    }
}

int main(int argc, char **argv) {
  const int n = atoi(argv[1]), zeros[1] = {0};
  if (n < 0 || n > 6)
    return 2;
  int *p, *zero;
  cudaMalloc(&zero, sizeof zeros);
  cudaMemcpy(zero, zeros, sizeof zeros, cudaMemcpyHostToDevice);
  cudaMalloc(&p, 4);
  repeat<<<1, 8>>>(p, n, zero);
}
