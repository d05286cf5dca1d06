// Without a proof and without a witness the verdict is unknown, with the reason, and the exit code is 0.
// RUN: %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DBROKEN %s 2>/dev/null || test $? = 2

extern int choose(int n); // in a file that is not here

__global__ void fill(int *out, int n) {
  // CHECK: unknown.cu:[[@LINE+1]]:10: write in fill(int*, int): unknown (the result of choose(int))
  out[n] = 1;
}

// The second kernel has no launch.
__global__ void lonely(int *out) {
  // CHECK: unknown.cu:[[@LINE+1]]:10: write in lonely(int*): unknown (nothing in these files launches the kernel)
  out[0] = 1;
}

#ifdef BROKEN
#error broken
#endif

int main() {
  int *p;
  cudaMalloc(&p, 64);
  fill<<<1, 1>>>(p, choose(3));
  cudaFree(p);
}
