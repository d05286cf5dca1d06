// Accesses behind a place where a thread may end: a witness is a thread that goes on.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>
#include <cstdlib>

#ifdef FIXED
constexpr int kMore = 1;
#else
constexpr int kMore = 0;
#endif

__global__ void direct(int *p, int flag) {
  if (threadIdx.x == flag)
    __nvvm_exit();
  // CHECK: behind-exit.cu:[[@LINE+2]]:18: write in direct(int*, int): possible heap-buffer-overflow
  // FIXED: behind-exit.cu:[[@LINE+1]]:18: write in direct(int*, int): proven
  p[threadIdx.x] = 1;
}

__global__ void behind_loop(int *p, const int *data, int n, int flag) {
  for (int i = 0; i < n; i++)
    if (data[i] == flag)
      __nvvm_exit();
  // CHECK: behind-exit.cu:[[@LINE+2]]:8: write in behind_loop(int*, int const*, int, int): possible
  // FIXED: behind-exit.cu:[[@LINE+1]]:8: write in behind_loop(int*, int const*, int, int): proven
  p[n] = 1;
}

__device__ __noinline__ bool may_end(int number, int flag) {
  if (number == flag)
    __trap();
  return number > 3;
}

__global__ void in_loop(int *p, const int *data, int n, int flag) {
  // CHECK: behind-exit.cu:[[@LINE+4]]:16: write in in_loop(int*, int const*, int, int): possible heap-buffer-overflow
  // FIXED: behind-exit.cu:[[@LINE+3]]:16: write in in_loop(int*, int const*, int, int): proven
  for (int i = 0; i < n; i++)
    if (may_end(data[i], flag))
      p[i + 1] = 1;
}

int main(int argc, char **argv) {
  const int n = atoi(argv[1]), flag = atoi(argv[2]);
  if (n < 1 || n > 1000)
    return 1;
  FILE *file = fopen(argv[3], "rb");
  int *host = static_cast<int *>(malloc(n * sizeof(int))), *p, *data;
  if (fread(host, sizeof(int), n, file) != n)
    exit(3);
  cudaMalloc(&p, (n + kMore) * sizeof(int));
  cudaMalloc(&data, n * sizeof(int));
  cudaMemcpy(data, host, n * sizeof(int), cudaMemcpyHostToDevice);
  direct<<<1, n>>>(p + 1 - kMore, flag);
  behind_loop<<<1, 1>>>(p, data, n, flag);
  in_loop<<<1, 1>>>(p, data, n, flag);
}
