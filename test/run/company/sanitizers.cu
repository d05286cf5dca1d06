// The host's own sanitizers in one process: each finds its bugs, and gasan those of kernels and calls.
// REQUIRES: cpu
// RUN: %gasan -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined %s -o %t.address
// RUN: not %run %t.address kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not %run %t.address heap 2>&1 | FileCheck %s --check-prefix=HEAP
// RUN: not %run %t.address sum 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: env ASAN_OPTIONS=detect_leaks=0 %run %t.address correct 2>&1 | FileCheck %s --check-prefix=CORRECT
// RUN: %gasan -O1 -fsanitize=thread %s -o %t.thread
// RUN: not %run %t.thread kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: %exit=66 %t.thread race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %run %t.thread correct 2>&1 | FileCheck %s --check-prefix=CORRECT
//
// A library with AddressSanitizer's shared runtime, loaded before gasan and after it.
// RUN: %gasan -O1 -fsanitize=address -shared-libasan %s -o %t.shared
// RUN: %exit=1 env LD_LIBRARY_PATH=%asan_library %t.shared kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: %exit=1 env LD_LIBRARY_PATH=%asan_library LD_PRELOAD=%asan_library/libclang_rt.asan-x86_64.so:%gasan_library \
// RUN:   %t.shared heap 2>&1 | FileCheck %s --check-prefix=HEAP
// RUN: %exit=1 env LD_LIBRARY_PATH=%asan_library LD_PRELOAD=%asan_library/libclang_rt.asan-x86_64.so:%gasan_library \
// RUN:   %t.shared kernel 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: %exit=1 env ASAN_OPTIONS=verify_asan_link_order=0 LD_LIBRARY_PATH=%asan_library \
// RUN:   LD_PRELOAD=%gasan_library:%asan_library/libclang_rt.asan-x86_64.so %t.shared kernel 2>&1 | \
// RUN:   FileCheck %s --check-prefix=KERNEL
// RUN: %exit=1 env ASAN_OPTIONS=verify_asan_link_order=0 LD_LIBRARY_PATH=%asan_library \
// RUN:   LD_PRELOAD=%gasan_library:%asan_library/libclang_rt.asan-x86_64.so %t.shared heap 2>&1 | \
// RUN:   FileCheck %s --check-prefix=HEAP
// KERNEL: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
// KERNEL: #0 put(int*, int) {{.*}}sanitizers.cu:[[#@LINE+13]]:
// KERNEL: allocated by host thread T0 here:
// HEAP: heap-buffer-overflow on address 0x
// HEAP: #0 {{.*}} in main {{.*}}sanitizers.cu:[[#@LINE+29]]:
// SUM: sanitizers.cu:[[#@LINE+31]]:{{.*}}: runtime error: signed integer overflow
// RACE: WARNING: ThreadSanitizer: data race
// CORRECT: correct: the end
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void put(int *values, int i) {
  values[i] = 1;
}

static volatile int shared_value;

static void count(void) {
  for (int i = 0; i < 1000; i++)
    shared_value = shared_value + 1;
}

int main(int, char **arguments) {
  int *values;
  const char *bug = arguments[1];
  cudaMalloc(&values, 400);
  put<<<1, 1>>>(values, strcmp(bug, "kernel") ? 99 : 100);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  volatile char *bytes = (char *)malloc(10);
  if (!strcmp(bug, "heap"))
    bytes[10] = 1;
  volatile int sum = 0x7fffffff;
  if (!strcmp(bug, "sum"))
    sum = sum + 1;
  // Ten pairs of threads: in a process with other threads, ThreadSanitizer misses about one of 300 races, without gasan
  // too.
  for (int pair = 0; !strcmp(bug, "race") && pair < 10; pair++) {
    std::thread other(count);
    count();
    other.join();
  }
  free((void *)bytes);
  cudaFree(values);
  fprintf(stderr, "%s: the end\n", bug);
}
