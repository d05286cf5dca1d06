// A loop's round leaves a pointer to a variable of the loop's body. Fixed: it is used only in a later round, while that
// round's variable is in scope.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t.O0 next 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t.O1 next 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t next 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 last 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t.O3 next 2>&1 | FileCheck %s --check-prefix=NEXT
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed next 2>&1 >/dev/null | %silent
// RUN: %run %t.O0.fixed last 2>&1 >/dev/null | %silent
// RUN: %gasan -O1 -DFIXED %s -o %t.O1.fixed
// RUN: %run %t.O1.fixed next 2>&1 >/dev/null | %silent
// RUN: %run %t.O1.fixed last 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed next 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed last 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -DFIXED %s -o %t.O3.fixed
// RUN: %run %t.O3.fixed next 2>&1 >/dev/null | %silent
// RUN: %run %t.O3.fixed last 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void last(int *out, int n) {
  int *p = nullptr;
  for (int round = 0; round < n; ++round) {
    int values[4] = {round, round + 1, round + 2, round + 3};
    out[1] += values[n & 3];
#ifdef FIXED
    if (p)
      out[2] = *p;
#endif
    p = &values[n & 3];
  }
#ifdef FIXED
  p = n < 100 ? out : p;
#endif
  // LAST: ERROR: AddressSanitizer: stack-use-after-scope
  // LAST-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // LAST-NEXT: #0 last(int*, int) {{.*}}rounds.cu:[[#@LINE+4]]:
  // LAST: is located 4 bytes inside of stack variable 'values' of 'last(int*, int)'
  // LAST-SAME: {{^}} defined in '{{.*}}rounds.cu:32' of size 16
  if (p)
    *out = *p;
}

__global__ void next(int *out, int n) {
  int *p = nullptr;
  for (int round = 0; round < n; ++round) {
#ifndef FIXED
    // NEXT: ERROR: AddressSanitizer: stack-use-after-scope
    // NEXT-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // NEXT-NEXT: #0 next(int*, int) {{.*}}rounds.cu:[[#@LINE+4]]:
    // NEXT: is located 4 bytes inside of stack variable 'values' of 'next(int*, int)'
    // NEXT-SAME: {{^}} defined in '{{.*}}rounds.cu:[[#@LINE+4]]' of size 16
    if (p)
      *out += *p;
#endif
    int values[4] = {round, round + 1, round + 2, round + 3};
#ifdef FIXED
    if (p)
      *out += *p;
#endif
    out[1] += values[n & 3];
    p = &values[n & 3];
  }
}

int main(int, char **arguments) {
  int *out;
  cudaMalloc(&out, 4 * sizeof *out);
  cudaMemset(out, 0, 4 * sizeof *out);
  (strcmp(arguments[1], "last") ? next : last)<<<1, 1>>>(out, 5);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed;
}
