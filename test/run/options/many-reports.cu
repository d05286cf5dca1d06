// With print_repeated=1 every faulting launch has its report, with several host threads at once and more launches than
// the table of faults has slots.
// RUN: %gasan -O2 %s -o %t -lpthread
// RUN: %options=halt_on_error=0:print_repeated=1:print_limit=0:print_stats=1:symbolize=0 not %run %t 2>&1 | \
// RUN:   FileCheck %s
// CHECK-NOT: (and {{[0-8]}} more
// CHECK: (and 9 more threads of this kernel)
// CHECK: 1200 launches, 12000 faulting threads (0 of them without a record: table full)
// CHECK: Stats: 1200 reports
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed -lpthread
// RUN: %options=halt_on_error=0 %run %t.fixed 2>&1 >/dev/null | %silent
#include <thread>
#include <vector>

#ifdef FIXED
#define LAST 100
#else
#define LAST 110
#endif

__global__ void fill(int *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < LAST)
    values[i] = 1;
}

static void work() {
  int *values;
  cudaStream_t stream;
  cudaMalloc(&values, 100 * sizeof(int));
  cudaStreamCreate(&stream);
  for (int i = 0; i < 300; ++i) {
    fill<<<2, 64, 0, stream>>>(values);
    if (i % 10 == 9)
      cudaDeviceSynchronize();
  }
  cudaDeviceSynchronize();
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return 0;
}
