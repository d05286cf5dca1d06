// REQUIRES: cpu
// RUN: %gasan -O1 %s -o %t
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: %options=cpu_threads=1 not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t read 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not %run %t high 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not %run %t call 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// RUN: %run %t trap 2>&1 >/dev/null | %silent
// The CPU device reports the place where a kernel without checks was stopped, and the address of its access.
#include <cstring>
#include <sys/mman.h>

__attribute__((no_sanitize("address"))) __global__ void access(char how, int *to, int *result,
                                                               void (*function)(int *)) {
  if (threadIdx.x != 1)
    return;
  switch (how) {
  case 'w':
    // NULL: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x000000000004
    // NULL-NEXT: WRITE at 0x000000000004 by device thread (1,0,0) block (0,0,0) lane 1
    // NULL-NEXT: #0 access{{.*}} {{.*}}on-cpu.cu:[[#@LINE+7]]:
    // NULL-NOT: #1
    // NULL: 0x000000000004 is no address of memory: the pointer is null
    // NULL: No check covered it: the kernel has no checks
    // NULL: access(char, int*, int*, void (*)(int*))<<<1, 2>>> launched here by host thread T0:
    // NULL-NEXT: #0 {{.*}} in main {{.*}}on-cpu.cu:
    // NULL: SUMMARY: AddressSanitizer: SEGV {{.*}}on-cpu.cu:[[#@LINE+1]]:{{[0-9]+}} in access
    to[1] = 7;
    break;
  case 'r':
    // READ: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x
    // READ-NEXT: READ at 0x{{.*}} by device thread (1,0,0)
    // READ-NEXT: #0 access{{.*}} {{.*}}on-cpu.cu:[[#@LINE+10]]:
    // READ: No check covered it
    // HIGH: ERROR: AddressSanitizer: SEGV on cpu device 0 unknown address
    // HIGH-NEXT: Access to an impossible address, or to a misaligned vector, by device thread (1,0,0)
    // HIGH-NEXT: #0 access{{.*}} {{.*}}on-cpu.cu:[[#@LINE+6]]:
    // FREED: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x
    // FREED-NEXT: READ at 0x
    // FREED-NEXT: #0 access{{.*}} {{.*}}on-cpu.cu:[[#@LINE+3]]:
    // FREED: is located 20000 bytes inside of 33554432-byte region
    // FREED-NEXT: freed by host thread T0 here:
    *result = *to;
    break;
  case 'c':
    // CALL: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x000000001000
    // CALL-NEXT: CALL at 0x000000001000 by device thread (1,0,0)
    // CALL-NEXT: #0 access{{.*}} {{.*}}on-cpu.cu:[[#@LINE+1]]:
    function(to);
    *result = 1;
    break;
  case 't':
    __trap();
  }
}

int main(int, char **arguments) {
  const char *how = arguments[1];
  int *result, *large;
  void (*nowhere)(int *) = reinterpret_cast<void (*)(int *)>(4096);
  cudaMalloc(&result, sizeof(int));
  cudaMalloc(&large, 32 << 20);
  if (!strcmp(how, "null"))
    access<<<1, 2>>>('w', nullptr, result, nowhere);
  if (!strcmp(how, "read"))
    access<<<1, 2>>>('r', static_cast<int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
                     result, nowhere);
  if (!strcmp(how, "high"))
    access<<<1, 2>>>('r', reinterpret_cast<int *>(0x8123456789abcdf0), result, nowhere);
  if (!strcmp(how, "call"))
    access<<<1, 2>>>('c', result, result, nowhere);
  if (!strcmp(how, "freed")) {
    cudaFree(large);
    access<<<1, 2>>>('r', large + 5000, result, nowhere);
  }
  if (!strcmp(how, "fine"))
    access<<<1, 2>>>('r', large, result, nowhere);
  if (!strcmp(how, "trap"))
    access<<<1, 2>>>('t', large, result, nowhere);
  return 0;
}
