// Errors that the user knows: suppressions with the runtime's syntax, and the JSON file of an earlier scan. The exit
// code is 0 if nothing else is possible.
// RUN: echo "# a comment" >%t.kernel && echo 'kernel:^fill' >>%t.kernel
// RUN: echo 'heap-buffer-overflow:known.cu' >%t.kind
// RUN: echo 'fun:^fill$' >%t.fun && echo 'file:*/known*cu$' >%t.file
// RUN: echo 'fun:^fil$' >%t.other && echo 'heap-use-after-free:fill' >>%t.other
// RUN: echo 'kernal:fill' >%t.wrong
// RUN: %verdicts --suppressions=%t.kernel %s 2>&1 | FileCheck %s --check-prefix=KNOWN -DWHY="suppressed by kernel:"
// RUN: %verdicts --suppressions=%t.kind %s 2>&1 | FileCheck %s --check-prefix=KNOWN -DWHY="suppressed by heap-buffer"
// RUN: %verdicts --suppressions=%t.fun %s 2>&1 | FileCheck %s --check-prefix=KNOWN -DWHY="suppressed by fun:^fill$"
// RUN: %verdicts --suppressions=%t.file %s 2>&1 | FileCheck %s --check-prefix=KNOWN -DWHY="suppressed by file"
// RUN: not %verdicts --suppressions=%t.other %s 2>&1 | FileCheck %s
// RUN: not %verdicts --json=%t.json %s 2>/dev/null
// RUN: %verdicts --baseline=%t.json %s 2>&1 | FileCheck %s --check-prefix=KNOWN -DWHY="in %t.json"
// RUN: not %verdicts --baseline=%t.json -DSECOND %s 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: %verdicts --suppressions=%t.wrong %s 2>&1 || test $? = 2
// RUN: not %verdicts --suppressions=%t.wrong %s 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %verdicts --baseline=%s %s 2>&1 | FileCheck %s --check-prefix=BASELINE
#include <cstdlib>

__global__ void fill(int *p, int n) {
  int i = threadIdx.x;
  if (i <= n)
    p[i] = i;
}

#ifdef SECOND
__global__ void more(int *p, int n) {
  p[n] = 1;
}
#endif

int main(int argc, char **argv) {
  int n = atoi(argv[1]), *p;
  cudaMalloc(&p, n * sizeof(int));
  fill<<<1, 32>>>(p, n);
#ifdef SECOND
  more<<<1, 1>>>(p, n);
#endif
  cudaFree(p);
}

// CHECK: ERROR: possible heap-buffer-overflow
// CHECK-NOT: left out
// KNOWN-NOT: ERROR
// KNOWN: known.cu:24:10: write in fill(int*, int): possible heap-buffer-overflow ([[WHY]]
// KNOWN: 0 possible
// KNOWN: 1 known or suppressed errors are left out
// SECOND: ERROR: possible heap-buffer-overflow
// SECOND: known.cu:24:10: write in fill(int*, int): possible heap-buffer-overflow (in
// SECOND: known.cu:29:8: write in more(int*, int): possible heap-buffer-overflow{{$}}
// SECOND: 1 possible
// WRONG: gasan-scan: {{.*}}.wrong: line 1 has no type of suppressions; write TYPE:PATTERN
// BASELINE: gasan-scan: cannot read {{.*}}known.cu
