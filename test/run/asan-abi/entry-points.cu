// ASan's entry points for accesses, called by hand. Each reports the kind and the size in its name. After a _noabort
// entry point the thread goes on; after the others it ends. A direct call has a source line; a call through a pointer
// has an unknown site, but its report gives the thread, the kernel, the launch and the allocation.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t
// RUN: %options=halt_on_error=0:print_limit=0:print_repeated=1 not %run %t 100 direct 2>&1 | \
// RUN:   FileCheck %s --check-prefix=DIRECT
// RUN: %options=halt_on_error=0:print_limit=0:print_repeated=1 not %run %t 100 pointer 2>&1 | \
// RUN:   FileCheck %s --check-prefix=POINTER
// RUN: %run %t 64 direct 2>&1 >/dev/null | %silent
// RUN: %run %t 64 pointer 2>&1 >/dev/null | %silent
// BST mode has no shadow, so only the __asan_report_... functions report.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: %run %t.bst 64 direct 2>&1 >/dev/null | %silent
// RUN: %run %t.bst 64 pointer 2>&1 >/dev/null | %silent
// RUN: %options=halt_on_error=0 %exit=3 %t.bst 100 direct 2>&1 | FileCheck %s --check-prefix=BST
#include <cstdio>
#include <cstdlib>
#include <cstring>

// X(name): entry points with an address. Y(name): entry points with an address and a size. Both lists have one order.
// The functions report without a check.
#define SIZES(X, prefix, suffix)                                                                                       \
  X(prefix##1##suffix) X(prefix##2##suffix) X(prefix##4##suffix) X(prefix##8##suffix) X(prefix##16##suffix)
#define KIND(X, Y, kind) SIZES(X, kind, ) SIZES(X, kind, _noabort) Y(kind##N) Y(kind##N_noabort)
#define REPORTS(X, Y, kind)                                                                                            \
  SIZES(X, report_##kind, ) SIZES(X, report_##kind, _noabort) Y(report_##kind##_n) Y(report_##kind##_n_noabort)
#define CHECKS(X, Y) KIND(X, Y, load) KIND(X, Y, store)
#define ALL(X, Y) CHECKS(X, Y) REPORTS(X, Y, load) REPORTS(X, Y, store)

#define DECLARE(name) extern "C" __device__ void __asan_##name(unsigned long address);
#define DECLARE_SIZED(name) extern "C" __device__ void __asan_##name(unsigned long address, unsigned long size);
ALL(DECLARE, DECLARE_SIZED)
extern "C" __device__ void __asan_init();
extern "C" __device__ void __asan_version_mismatch_check_v8();
extern "C" __device__ void __asan_handle_no_return();

enum Entry {
#define NUMBER(name) NUMBER_##name,
  ALL(NUMBER, NUMBER) ENTRIES
};

static const char *const kNames[] = {
#define NAME(name) #name,
    ALL(NAME, NAME)};

// For sizes that are known only at run time.
__global__ void direct(unsigned long address, unsigned long size, int entry, int *reached) {
  __asan_init();
  __asan_version_mismatch_check_v8();
  switch (entry) {
#define CALL(name)                                                                                                     \
  case NUMBER_##name:                                                                                                  \
    __asan_##name(address);                                                                                            \
    break;
#define CALL_SIZED(name)                                                                                               \
  case NUMBER_##name:                                                                                                  \
    __asan_##name(address, size);                                                                                      \
    break;
    ALL(CALL, CALL_SIZED) // the line of all
  }
  __asan_handle_no_return();
  *reached = 1;
}

using Sized = void (*)(unsigned long, unsigned long);
using Plain = void (*)(unsigned long);
#define NOTHING(name) nullptr,
#define ADDRESS(name) __asan_##name,
__device__ Plain plain[] = {ALL(ADDRESS, NOTHING)};
__device__ Sized sized[] = {ALL(NOTHING, ADDRESS)};

__global__ void through_pointer(unsigned long address, unsigned long size, int entry, int *reached) {
  if (plain[entry])
    plain[entry](address);
  else
    sized[entry](address, size);
  *reached = 1;
}

int main(int, char **arguments) {
  int offset = atoi(arguments[1]);
  bool through = !strcmp(arguments[2], "pointer"), clean = offset < 100;
  char *memory;
  int *reached, entries = clean ? NUMBER_report_load1 : ENTRIES, wrong = 0;
  cudaMalloc(&memory, 100);
  cudaMalloc(&reached, sizeof *reached);
  for (int entry = 0; entry < entries; ++entry) {
    cudaMemset(reached, 0, sizeof *reached);
    (through ? through_pointer : direct)<<<1, 1>>>((unsigned long)memory + offset, 3, entry, reached);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return 2;
    int went_on = 0;
    cudaMemcpy(&went_on, reached, sizeof went_on, cudaMemcpyDeviceToHost);
    if (went_on == (clean || strstr(kNames[entry], "_noabort")))
      continue;
    printf("%s: the thread %s\n", kNames[entry], went_on ? "went on" : "ended");
    wrong = 3;
  }
  cudaFree(memory);
  cudaFree(reached);
  return wrong;
}

// DIRECT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// DIRECT-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// DIRECT-NOT: ERROR: AddressSanitizer
// POINTER: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER-NEXT: #1 through_pointer(unsigned long, unsigned long, int, int*)<<<1, 1>>> launched here by host thread T0:
// POINTER: is located 0 bytes after 100-byte region
// POINTER: SUMMARY: AddressSanitizer: heap-buffer-overflow{{ ?$}}
// POINTER: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: READ of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER: WRITE of size 3 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// POINTER-NEXT: #0 <unknown site>{{$}}
// POINTER-NOT: ERROR: AddressSanitizer
// BST: ERROR: AddressSanitizer: heap-buffer-overflow
// BST-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// BST-NEXT: #0 direct(unsigned long, unsigned long, int, int*) {{.*}}entry-points.cu:59:
// BST: {{^}}load1: the thread went on{{$}}
// BST-NOT: report_load1:
