// Device memory that a function allocates and that nothing can free any more, on one way through the function.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>
#include <vector>

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i;
}

static int solve(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int)); // CHECK: memory-leak for n = [[N:[0-9]+]]
  if (n > 100) {
#ifdef FIXED
    cudaFree(p);
#endif
    return 1;
  }
  fill<<<(n + 63) / 64, 64>>>(p, n);
  cudaFree(p);
  return 0;
}

// Memory that callers free: through the result, an argument, a structure, a vector.
static int *make(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}

struct Pair {
  int *a, *b;
};

static void makeTwo(Pair &pair, int n) {
  pair.a = make(n);
  cudaMalloc(&pair.b, n);
}

static std::vector<int *> makeMany(int n) {
  std::vector<int *> result;
  for (int i = 0; i < n; i++)
    result.push_back(make(n));
  return result;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000)
    return 2;
  const int code = solve(n);
  int *p = make(n);
  Pair pair;
  makeTwo(pair, n);
  for (int *one : makeMany(n))
    cudaFree(one);
  cudaFree(p);
  cudaFree(pair.a);
  cudaFree(pair.b);
  return code;
}

// CHECK-NEXT: of {{[0-9]+}}-byte 'p'
// CHECK-NEXT: #0 in solve {{.*}}leak.cu:15:3
// CHECK-NEXT: 'p' was allocated by cudaMalloc at {{.*}}leak.cu:15:3
// CHECK-NEXT: no pointer to it is left behind the call at {{.*}}leak.cu:{{[0-9]+}}:20
// CHECK: SUMMARY: gasan-scan: possible memory-leak {{.*}}leak.cu:15:3 in solve
// CHECK: 1 possible
// FIXED-NOT: ERROR
// FIXED: 0 possible
