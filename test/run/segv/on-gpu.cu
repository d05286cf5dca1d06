// REQUIRES: cuda
// RUN: %gasan -O2 -fno-sanitize=gpu-address -c %S/inputs/plain.cu -o %t.plain.o
// RUN: %gasan -O2 %s %t.plain.o -o %t
// RUN: not %run %t plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %run %t misaligned 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: not %run %t poll 2>&1 | FileCheck %s --check-prefix=POLL
// RUN: %exit=5 %t trap 2>&1 | FileCheck %s --check-prefix=TRAP
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// Accesses without checks for which an H200 stops the kernel without a place, so the report lists the launches that may
// have run. A user who may read /dev/kmsg sees the address's page. A trap is not reported.
// PLAIN: ERROR: AddressSanitizer: {{SEGV on cuda device 0 unknown address|null-address on cuda device 0 page 0x0*1000}}
// PLAIN-NEXT: The device has stopped a kernel (CUDA error 700, cudaErrorIllegalAddress) for an access to an
// PLAIN-SAME: {{^}} illegal address
// PLAIN: These kernels may have run, the likeliest first:
// PLAIN-NEXT: plain(int*)<<<1, 32>>> (is not instrumented) launched here by host thread T0:
// PLAIN-NEXT: #0 {{.*}} in launchPlain(int*) {{.*}}plain.cu:7
// PLAIN: checked(int*)<<<1, 64>>> launched here by host thread T0:
// PLAIN: SUMMARY: AddressSanitizer: {{SEGV|null-address}} {{.*}}plain.cu:7
// MISALIGNED: ERROR: AddressSanitizer: misaligned-access on cuda device 0 unknown address
// MISALIGNED-NEXT: (CUDA error 716, cudaErrorMisalignedAddress) for an access that is not aligned to its size
// MISALIGNED: misaligned(int*)<<<1, 1>>>
// MISALIGNED: SUMMARY: AddressSanitizer: misaligned-access {{.*}}on-gpu.cu:[[#@LINE+37]]
// POLL: ERROR: AddressSanitizer: {{SEGV on cuda device 0 unknown address|null-address on cuda device 0 page 0x0*1000}}
// POLL: SUMMARY: AddressSanitizer: {{SEGV|null-address}} {{.*}}on-gpu.cu:[[#@LINE+40]]
// POLL-NOT: came back
// TRAP: error {{715|719}}
// TRAP-NOT: AddressSanitizer
#include <cstdint>
#include <cstdio>
#include <cstring>

#define UNCHECKED __attribute__((no_sanitize("address")))

void launchPlain(int *values);

__global__ void checked(int *values) {
  values[threadIdx.x] = 2;
}
UNCHECKED __global__ void misaligned(int *values) {
  *reinterpret_cast<volatile int *>(reinterpret_cast<uintptr_t>(values) + 2) = 1;
}
UNCHECKED __global__ void answer(int *values, volatile int *flag) {
  *flag = *static_cast<volatile int *>(values) | 1;
}
__global__ void trap() {
  __trap();
}

int main(int, char **arguments) {
  const char *how = arguments[1];
  int *values, *nowhere = reinterpret_cast<int *>(4096);
  cudaMalloc(&values, 64 * sizeof(int));
  checked<<<1, 64>>>(values);
  if (!strcmp(how, "plain"))
    launchPlain(nowhere);
  if (!strcmp(how, "fine"))
    launchPlain(values);
  if (!strcmp(how, "misaligned"))
    misaligned<<<1, 1>>>(values);
  if (!strcmp(how, "poll")) { // the program never calls CUDA again: the watcher asks
    int *flag;
    cudaMallocHost(&flag, sizeof(int));
    *flag = 0;
    answer<<<1, 1>>>(nowhere, flag);
    while (!*static_cast<volatile int *>(flag)) {
    }
    printf("came back\n");
  }
  if (!strcmp(how, "trap")) {
    trap<<<1, 1>>>();
    fprintf(stderr, "error %d\n", int(cudaDeviceSynchronize()));
    return 5;
  }
  return 0;
}
