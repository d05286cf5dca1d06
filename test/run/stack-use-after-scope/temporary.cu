// A function returns a reference to a temporary, as std::max does.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 here 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not %run %t.O0 passed 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 here 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not %run %t.O1 passed 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t here 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not %run %t passed 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 here 2>&1 | FileCheck %s --check-prefix=HERE
// RUN: not %run %t.O3 passed 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed here 2>&1 >/dev/null | %silent
// RUN: %run %t.O0.fixed passed 2>&1 >/dev/null | %silent
// RUN: %gasan -O1 -DFIXED %s -o %t.O1.fixed
// RUN: %run %t.O1.fixed here 2>&1 >/dev/null | %silent
// RUN: %run %t.O1.fixed passed 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed here 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed passed 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -DFIXED %s -o %t.O3.fixed
// RUN: %run %t.O3.fixed here 2>&1 >/dev/null | %silent
// RUN: %run %t.O3.fixed passed 2>&1 >/dev/null | %silent
#include <cstring>

template <typename T, typename Less>
__device__ constexpr const T &greater_of(const T &a, const T &b, Less less) {
  return less(a, b) ? b : a;
}

template <typename T>
__device__ constexpr const T &greater_of(const T &a, const T &b) {
  return greater_of(a, b, [](const T &a, const T &b) { return a < b; });
}

// Fixed: the reference is to `n`, and the second comparison ends before its temporaries end.
__global__ void limit(int *out, int n) {
#ifdef FIXED
  const int &most = greater_of(n, n - 1);
#else
  const int &most = greater_of(n, n + 1);
#endif
  // HERE: ERROR: AddressSanitizer: stack-use-after-scope
  // HERE-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // HERE-NEXT: #0 limit(int*, int) {{.*}}temporary.cu:[[#@LINE+3]]:
  // HERE: is located 0 bytes inside of stack variable '<temporary>' of 'limit(int*, int)'
  // HERE-SAME: {{^}} defined in '{{.*}}temporary.cu:[[#@LINE-6]]' of size 4
  *out = most;
  out[1] = greater_of(n + 1, n + 2);
}

// The function is inlined, and the optimiser turns its argument and the temporary into values.
__device__ int twice(const int &value) {
  // PASSED: ERROR: AddressSanitizer: stack-use-after-scope
  // PASSED-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // PASSED-NEXT: #0 twice(int const&) {{.*}}temporary.cu:[[#@LINE+3]]:
  // PASSED: is located 0 bytes inside of stack variable '<temporary>' of 'passed(int*, int)'
  // PASSED-SAME: {{^}} defined in '{{.*}}temporary.cu:[[#@LINE+12]]' of size 4
  return value + value;
}

__device__ int none(const int &) {
  return 3;
}

__global__ void passed(int *out, int n) {
#ifdef FIXED
  const int &most = greater_of(n, n - 1);
#else
  const int &most = greater_of(n, n + 1);
#endif
  *out = none(most);
  out[1] = twice(most);
}

int main(int, char **arguments) {
  int *out;
  cudaMalloc(&out, 2 * sizeof *out);
  (strcmp(arguments[1], "here") ? passed : limit)<<<1, 1>>>(out, 5);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed;
}
