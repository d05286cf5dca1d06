// A program may fork before it uses CUDA: parent and child each get a device. A child of a process that has used CUDA
// may end normally, while the parent's threads use the pool, and reports nothing again. CUDA calls of such a child
// fail.
// RUN: %gasan -O2 %s -o %t -lpthread
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t bug 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 fill(int*, int) {{.*}}fork.cu:[[#@LINE+10]]:
// CHECK-NOT: ERROR: AddressSanitizer
#include <atomic>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void fill(int *values, int count) {
  if (threadIdx.x < count)
    values[threadIdx.x] = threadIdx.x;
}

static bool use_cuda() {
  int *values, last = 0;
  if (cudaMalloc(&values, 32 * sizeof(int)) != cudaSuccess)
    return false;
  fill<<<1, 64>>>(values, 32);
  return cudaMemcpy(&last, values + 31, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess && last == 31 &&
         cudaFree(values) == cudaSuccess;
}

enum plan { USES_CUDA, ENDS, IS_REFUSED };

static bool child_succeeds(plan plan) {
  pid_t child = fork();
  if (child == 0)
    exit(plan != ENDS && use_cuda() != (plan == USES_CUDA));
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int count, char **) {
  if (!child_succeeds(USES_CUDA) || !use_cuda())
    return 2;
  std::atomic<bool> ended{false};
  std::thread allocates([&] {
    void *memory;
    while (!ended && cudaMalloc(&memory, 1000) == cudaSuccess)
      cudaFree(memory);
  });
  bool right = true;
  for (int i = 0; i < 5; ++i)
    right &= child_succeeds(i % 2 ? ENDS : IS_REFUSED);
  ended = true;
  allocates.join();
  if (count > 1) {
    int *values;
    cudaMalloc(&values, 32 * sizeof(int));
    fill<<<1, 64>>>(values, 33);
    right &= child_succeeds(ENDS);
    cudaDeviceSynchronize();
  }
  return !right || !use_cuda();
}
