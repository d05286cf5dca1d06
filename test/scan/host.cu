// Copies that are longer than one side, a use after a free, and a second free, on the ways through the host's code.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>

__global__ void touch(int *p) {
  *p = 1; // CHECK: host.cu:[[@LINE]]:6: write in touch(int*): possible heap-use-after-free
}

int main(int argc, char **argv) {
  unsigned n = atoi(argv[1]);
  if (n < 1 || n > 1000)
    return 2;
  int *host = (int *)malloc(n * sizeof(int)), *p, *q;
  cudaMalloc(&p, n * sizeof(int));
  cudaMalloc(&q, n * sizeof(int));
#ifdef FIXED
  const unsigned more = n;
#else
  const unsigned more = n + 1;
#endif
  // CHECK: host.cu:[[@LINE+2]]:3: cudaMemcpy reads in main: possible heap-buffer-overflow
  // CHECK: host.cu:[[@LINE+1]]:3: cudaMemcpy writes in main: possible heap-buffer-overflow
  cudaMemcpy(p, host, more * sizeof(int), cudaMemcpyHostToDevice);
#ifndef FIXED
  if (n == 17)
    cudaFree(p);
#endif
  touch<<<1, 1>>>(p);
  cudaFree(p); // CHECK: host.cu:[[@LINE]]:3: cudaFree in main: possible double-free
  cudaFree(q);
  free(host);
}

// FIXED-NOT: ERROR
// FIXED: 0 possible, 0 unknown
