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

// No memory of 0 bytes is allocated.
static void mayBeEmpty(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  if (n == 0)
    return;
  fill<<<(n + 63) / 64, 64>>>(p, n);
  cudaFree(p);
}

static void reset(int n) {
  int *p;
  cudaMalloc(&p, 4096);
  cudaDeviceReset();
}

// An allocation on a destroyed stream, from a destroyed pool or with wrong flags fails.
static int failing() {
  int *p;
  cudaStream_t stream;
  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  cudaStreamCreate(&stream);
  cudaMemPoolCreate(&pool, &properties);
  cudaMemPoolDestroy(pool);
  cudaMallocFromPoolAsync(&p, 64, pool, stream);
  cudaStreamDestroy(stream);
  cudaMallocAsync(&p, 64, stream);
  cudaMallocManaged(&p, 64, 77);
  return cudaHostAlloc(&p, 64, 128);
}

static int onStream(int n) {
  int *p;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocAsync(&p, 64, stream);
  fill<<<1, 16, 0, stream>>>(p, 16);
#ifndef FIXED
  if (n > 100)
    return 1;
#endif
  cudaFreeAsync(p, stream);
  cudaStreamDestroy(stream);
  return 0;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 0 || n > 1000)
    return 2;
  mayBeEmpty(n);
  onStream(n);
  failing();
  const int code = solve(n);
  int *p = make(n);
  Pair pair;
  makeTwo(pair, n);
  for (int *one : makeMany(n))
    cudaFree(one);
  cudaFree(p);
  cudaFree(pair.a);
  cudaFree(pair.b);
  reset(n);
  return code;
}

// CHECK-NEXT: of {{[0-9]+}}-byte 'p'
// CHECK-NEXT: #0 in solve {{.*}}leak.cu:15:3
// CHECK-NEXT: 'p' was allocated by cudaMalloc at {{.*}}leak.cu:15:3
// CHECK-NEXT: no pointer to it is left behind the call at {{.*}}leak.cu:{{[0-9]+}}:20
// CHECK: SUMMARY: gasan-scan: possible memory-leak {{.*}}leak.cu:15:3 in solve
// CHECK: memory-leak for n = {{[0-9]+}}
// CHECK-NEXT: of 64-byte 'p'
// CHECK-NEXT: #0 in onStream
// CHECK: 2 possible
// FIXED-NOT: ERROR
// FIXED: 0 possible
