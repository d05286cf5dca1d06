// REQUIRES: cpu
// RUN: %gasan -O1 %s -o %t
// RUN: not %run %t 2 2>&1 | FileCheck %s
// RUN: not %run %t 50 2>&1 | FileCheck %s
// RUN: %options=cpu_threads=1 not %run %t 5000 2>&1 | FileCheck %s
// RUN: %options=cpu_threads=1 not %run %t 2 blocked 2>&1 | FileCheck %s
// RUN: %run %t 0 blocked 2>&1 >/dev/null | %silent
// RUN: %gasan -O1 -DWAITS %s -o %t.waits
// RUN: not %run %t.waits 2 2>&1 | FileCheck %s
// RUN: not %run %t.waits 5000 2>&1 | FileCheck %s
// A kernel without checks overwrites its own stack: return addresses, frames, and memory behind them. The process ends
// with a report, even if the program has blocked the signal.
// CHECK: ERROR: AddressSanitizer: SEGV on cpu device 0
// CHECK: by device thread
// CHECK: No check covered it: the kernel has no checks
// CHECK: smash(int, int*)<<<2, 64>>> launched here by host thread T0:
// CHECK: SUMMARY: AddressSanitizer: SEGV {{.*}}broken-stack.cu:{{28|29}}:
// CHECK: ABORTING
#include <csignal>
#include <cstdlib>
#include <cstring>

#define UNCHECKED __attribute__((no_sanitize("address")))

UNCHECKED __device__ __noinline__ int overwrite(int beyond) {
  volatile int values[4];
  for (int i = 0; i < 4 + 4 * beyond; ++i)
    values[i] = 0x41414141;
  return values[beyond & 3];
}

// With a barrier, threads are fibers; without, all threads run on one stack.
UNCHECKED __global__ void smash(int beyond, int *result) {
#ifdef WAITS
  __syncthreads();
#endif
  *result = overwrite(beyond);
}

int main(int count, char **arguments) {
  int *result;
  cudaMalloc(&result, sizeof(int));
  const char *how = count > 2 ? arguments[2] : "";
  if (!strcmp(how, "blocked")) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
  }
  smash<<<2, 64>>>(atoi(arguments[1]), result);
  return 0;
}
