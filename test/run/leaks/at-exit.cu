// Memory that is not freed when the program ends, with a sum for each allocation stack, the largest first. A global
// object's destructor may still free.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=detect_leaks=1 not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %run %t
// RUN: %options=detect_leaks=1:suppressions=%S/inputs/kept.supp not %run %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SUPPRESSED
// RUN: %options=detect_leaks=1:exitcode=0 %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %options=detect_leaks=1 %run %t.fixed 2>&1 >/dev/null | %silent
#include <cstdio>

struct Buffer {
  void *memory = nullptr;
  ~Buffer() { cudaFree(memory); }
};
static Buffer global;

__attribute__((noinline)) static int *kept(size_t size) {
  int *memory = nullptr;
  cudaMalloc(&memory, size);
  return memory;
}

int main() {
  cudaMalloc(&global.memory, 5000);
  int *many[3], *pinned, *managed;
#pragma clang loop unroll(disable) // one call, one stack
  for (int i = 0; i < 3; i++)
    many[i] = kept(1000);
  cudaHostAlloc((void **)&pinned, 200, cudaHostAllocDefault);
  cudaMallocManaged((void **)&managed, 100, cudaMemAttachGlobal);
#ifdef FIXED
  for (int i = 0; i < 3; i++)
    cudaFree(many[i]);
  cudaFreeHost(pinned);
  cudaFree(managed);
#endif
  // CHECK: ERROR: LeakSanitizer: detected memory leaks
  // CHECK: Direct leak of 3000 byte(s) in 3 object(s) allocated from:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMalloc
  // CHECK: in main {{.*}}at-exit.cu:
  // CHECK: Direct leak of 200 byte(s) in 1 object(s) allocated from:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaHostAlloc
  // CHECK: Direct leak of 100 byte(s) in 1 object(s) allocated from:
  // CHECK-NEXT: #0 {{0x[0-9a-f]+}} in cudaMallocManaged
  // CHECK: SUMMARY: AddressSanitizer: 3300 byte(s) leaked in 5 allocation(s).
  // SUPPRESSED: ERROR: LeakSanitizer: detected memory leaks
  // SUPPRESSED: Direct leak of 200 byte(s) in 1 object(s) allocated from:
  // SUPPRESSED: SUMMARY: AddressSanitizer: 300 byte(s) leaked in 2 allocation(s).
  return many[0] == nullptr;
}
