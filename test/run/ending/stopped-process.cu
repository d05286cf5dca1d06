// The whole process stops while its kernel runs, for longer than the watcher waits for the kernel. Here a signal stops
// the process; elsewhere a container's CPU limit or a paused virtual machine does. The report still names the first
// thread of the grid, which faults last.
// RUN: %gasan -O2 %s -o %t -lpthread
// RUN: %options=report_wait_ms=1000 not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed -lpthread
// RUN: %options=report_wait_ms=1000 %run %t.fixed 2>&1 >/dev/null | %silent
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

constexpr int kCount = 10;
enum { FAULTS, GOES_ON };

__global__ void fill(int *values, int first, volatile int *flags) {
  if (blockIdx.x == 1)
    flags[FAULTS] = 1;
  else
    while (!flags[GOES_ON])
      ;
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-SAME: {{^}} (and 1 more thread of this kernel)
  // CHECK-NEXT: #0 fill(int*, int, int volatile*) {{.*}}stopped-process.cu:[[#@LINE+1]]:
  values[first + blockIdx.x] = 1;
  // CHECK: is located 0 bytes after 40-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK-NOT: ERROR: AddressSanitizer
}

// Stops its parent for longer than report_wait_ms when it gets a message. Ends when the parent ends.
static pid_t start_stopper(int *order) {
  int ends[2];
  if (pipe(ends))
    return -1;
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    char byte;
    close(ends[1]);
    if (read(ends[0], &byte, 1) == 1) {
      kill(parent, SIGSTOP);
      usleep(1500000);
      kill(parent, SIGCONT);
    }
    _exit(0);
  }
  close(ends[0]);
  *order = ends[1];
  return child;
}

int main() {
  int order = -1;
  const pid_t stopper = start_stopper(&order);
  int *values, *memory;
  if (stopper < 0 || cudaMalloc(&values, kCount * sizeof(int)) != cudaSuccess ||
      cudaMallocHost(&memory, 2 * sizeof(int)) != cudaSuccess)
    return 2;
  volatile int *flags = memory;
  flags[FAULTS] = flags[GOES_ON] = 0;
  std::thread helper([&] {
    while (!flags[FAULTS])
      usleep(1000);
    usleep(50000); // the watcher sees the fault
    if (write(order, "", 1) != 1)
      _exit(3);
    waitpid(stopper, nullptr, 0);
    usleep(200000); // the watcher runs again
    flags[GOES_ON] = 1;
  });
#ifdef FIXED
  const int first = 0;
#else
  const int first = kCount;
#endif
  fill<<<2, 1>>>(values, first, flags);
  const cudaError_t error = cudaDeviceSynchronize();
  helper.join();
  return error != cudaSuccess;
}
