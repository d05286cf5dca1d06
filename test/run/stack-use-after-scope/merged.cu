// A pointer to a variable whose scope has ended. On other paths it is null, an argument, or a pointer to another
// variable.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %gasan -O1 %s -o %t.O1
// RUN: %gasan -O2 %s -o %t
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O0 null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t.O1 null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t.O3 null 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not %run %t.O0 argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t.O1 argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t.O3 argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t.O0 both 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %run %t.O1 both 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %run %t both 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %run %t.O3 both 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %run %t.O0 one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t.O1 one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t.O3 one 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t.O0 atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not %run %t atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not %run %t.O0 called 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not %run %t.O1 called 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not %run %t called 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not %run %t.O3 called 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed all 2>&1 >/dev/null | %silent
// RUN: %gasan -O1 -DFIXED %s -o %t.O1.fixed
// RUN: %run %t.O1.fixed all 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed all 2>&1 >/dev/null | %silent
// RUN: %gasan -O3 -DFIXED %s -o %t.O3.fixed
// RUN: %run %t.O3.fixed all 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
constexpr bool kFixed = true;
#else
constexpr bool kFixed = false;
#endif

__device__ void fill(int *values, int first) {
  for (int i = 0; i < 4; ++i)
    values[i] = first + i;
}

__global__ void maybe_null(int *out, int n) {
  int *p = nullptr;
  if (n > 0) {
    int values[4];
    fill(values, n);
    p = &values[n & 3];
    *out = values[(n + 1) & 3];
    if (kFixed)
      p = n > 100 ? p : nullptr;
  }
  // NULL: ERROR: AddressSanitizer: stack-use-after-scope
  // NULL-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // NULL-NEXT: #0 maybe_null(int*, int) {{.*}}merged.cu:[[#@LINE+4]]:
  // NULL: is located 4 bytes inside of stack variable 'values' of 'maybe_null(int*, int)'
  // NULL-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE-11]]' of size 16
  if (p)
    *out = *p;
}

__global__ void maybe_argument(int *out, int n) {
  int *p = out;
  {
    int values[4];
    fill(values, n);
    if (n > (kFixed ? 100 : 0))
      p = values;
    out[2] = values[n & 3];
  }
  // ARGUMENT: ERROR: AddressSanitizer: stack-use-after-scope
  // ARGUMENT-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // ARGUMENT-NEXT: #0 maybe_argument(int*, int) {{.*}}merged.cu:[[#@LINE+3]]:
  // ARGUMENT: is located 4 bytes inside of stack variable 'values' of 'maybe_argument(int*, int)'
  // ARGUMENT-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE-10]]' of size 16
  p[1] = n;
}

// Fixed: both variables are in scope.
__global__ void both(int *out, int n) {
  int *p = out;
  {
    int even[4], odd[4];
    fill(even, n);
    fill(odd, -n);
    p = n & 1 ? &odd[n & 3] : &even[n & 2];
    out[1] = *p;
    if (kFixed)
      p = out;
  }
  // BOTH: ERROR: AddressSanitizer: stack-use-after-scope
  // BOTH-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // BOTH-NEXT: #0 both(int*, int) {{.*}}merged.cu:[[#@LINE+3]]:
  // BOTH: is located 4 bytes inside of stack variable 'odd' of 'both(int*, int)'
  // BOTH-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE-12]]' of size 16
  *out = *p;
}

// Fixed: on one path `inner` is out of scope, but then the pointer is to the other variable.
__global__ void one(int *out, int n) {
  int outer[4];
  fill(outer, n);
  int *p = outer;
  if (n & 1) {
    int inner[4];
    fill(inner, -n);
    if (n > (kFixed ? 100 : 0))
      p = inner;
    out[1] = inner[n & 3] + p[1];
  }
  // ONE: ERROR: AddressSanitizer: stack-use-after-scope
  // ONE-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // ONE-NEXT: #0 one(int*, int) {{.*}}merged.cu:[[#@LINE+3]]:
  // ONE: is located 4 bytes inside of stack variable 'inner' of 'one(int*, int)'
  // ONE-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE-10]]' of size 16
  *out = p[n & 3];
}

// The optimiser would turn this variable into a value.
__global__ void atomic(int *out, int n) {
  int *p = out;
  {
    int value = n;
    if (n > (kFixed ? 100 : 0))
      p = &value;
    out[1] = value;
  }
  // ATOMIC: ERROR: AddressSanitizer: stack-use-after-scope
  // ATOMIC-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // ATOMIC-NEXT: #0 atomic(int*, int) {{.*}}merged.cu:[[#@LINE+3]]:
  // ATOMIC: is located 0 bytes inside of stack variable 'value' of 'atomic(int*, int)'
  // ATOMIC-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE-9]]' of size 4
  atomicAdd(p, 1);
}

__device__ __noinline__ int second(const int *values) {
  // CALLED: ERROR: AddressSanitizer: stack-use-after-scope
  // CALLED-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CALLED-NEXT: #0 second(int const*) {{.*}}merged.cu:[[#@LINE+3]]:
  // CALLED: is located 4 bytes inside of stack variable 'values' of 'called(int*, int)'
  // CALLED-SAME: {{^}} defined in '{{.*}}merged.cu:[[#@LINE+7]]' of size 16
  return values[1];
}

__global__ void called(int *out, int n) {
  int *p = out;
  {
    int values[4];
    fill(values, n);
    if (n > (kFixed ? 100 : 0))
      p = values;
    out[2] = values[n & 3];
  }
  *out = second(p);
}

int main(int, char **arguments) {
  const bool all = !strcmp(arguments[1], "all");
  struct {
    const char *name;
    void (*kernel)(int *, int);
  } cases[] = {{"null", maybe_null}, {"argument", maybe_argument}, {"both", both},
               {"one", one},         {"atomic", atomic},           {"called", called}};
  int *out;
  cudaMalloc(&out, 4 * sizeof *out);
  cudaMemset(out, 0, 4 * sizeof *out);
  for (auto &one : cases)
    if (all || !strcmp(arguments[1], one.name))
      one.kernel<<<1, 1>>>(out, 5);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed;
}
