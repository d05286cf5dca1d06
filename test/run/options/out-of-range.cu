// RUN: %gasan -O2 %s -o %t
// RUN: %options=redzone=-1 not %run %t 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: %options=redzone=99999999999999999999 not %run %t 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %options=max_reports=-1 not %run %t 2>&1 | FileCheck %s --check-prefix=REPORTS
// RUN: %options=handle_bits=99 not %run %t 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: %options=window_size_gb=5:exitcode=0 not %run %t 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: %options=redzone= not %run %t 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %options=redzone=64kb not %run %t 2>&1 | FileCheck %s --check-prefix=TRAILING
// RUN: %options=halt_on_error=maybe not %run %t 2>&1 | FileCheck %s --check-prefix=SWITCH
// RUN: %options=lookup=three not %run %t 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: %options=redzon=64 not %run %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %options=exitcode=256 not %run %t 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: %options=exitcode=9:verbosity=99999999999 %exit=9 %t 2>&1 | FileCheck %s --check-prefix=COMMON
// RUN: %options=exitcode=0:color=blue not %run %t 2>&1 | FileCheck %s --check-prefix=COLOR
// RUN: %options=redzone=64:max_reports=0:handle_bits=4:window_size_gb=4:exitcode=0 %run %t 2>&1 >/dev/null | %silent
// RUN: %options=halt_on_error=no:lookup=list:color=never %run %t 2>&1 >/dev/null | %silent
// A bad value of an option ends the process before the first CUDA call.
// LESS: gasan: ERROR: GASAN_OPTIONS=redzone=-1 is out of range (1 to 1073741824)
// LESS-NOT: served
// MORE: gasan: ERROR: GASAN_OPTIONS=redzone=99999999999999999999 is out of range (1 to 1073741824)
// MORE-NOT: served
// REPORTS: gasan: ERROR: GASAN_OPTIONS=max_reports=-1 is out of range (0 to 2147483647)
// BITS: gasan: ERROR: GASAN_OPTIONS=handle_bits=99 is out of range (4 to 16)
// WINDOW: gasan: ERROR: GASAN_OPTIONS=window_size_gb=5 is out of range (0, or a power of two from 4 to 512)
// WINDOW-NOT: served
// EMPTY: gasan: ERROR: GASAN_OPTIONS=redzone= is no number (1 to 1073741824)
// TRAILING: gasan: ERROR: GASAN_OPTIONS=redzone=64kb is no number (1 to 1073741824)
// SWITCH: gasan: ERROR: GASAN_OPTIONS=halt_on_error=maybe is neither on nor off (0 or 1)
// WORD: gasan: ERROR: GASAN_OPTIONS=lookup=three is not one of pagemap, tree or list
// UNKNOWN: gasan: ERROR: GASAN_OPTIONS=redzon=64 is unknown; GASAN_OPTIONS=help=1 prints all options
// UNKNOWN-NOT: served
// CODE: gasan: ERROR: GASAN_OPTIONS=exitcode=256 is out of range (0 to 255)
// COMMON: gasan: ERROR: GASAN_OPTIONS=verbosity=99999999999 is out of range (-2147483648 to 2147483647)
// COLOR: gasan: ERROR: GASAN_OPTIONS=color=blue is not one of auto, always or never
#include <cstdio>

int main() {
  cudaGetLastError();
  printf("served\n");
  void *memory;
  return cudaMalloc(&memory, 100) != cudaSuccess || cudaFree(memory) != cudaSuccess;
}
