// A test with <= lets the thread behind the last element through. The witness has the names of the source.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not %verdicts --quiet --json=%t.json --sarif=%t.sarif %s 2>/dev/null
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: FileCheck %s --check-prefix=SARIF --input-file=%t.sarif
#include <cstdlib>

#ifdef FIXED
#define UNTIL <
#else
#define UNTIL <=
#endif

__global__ void fill(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i UNTIL n)
    out[i] = i;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  fill<<<(n + 255) / 256, 256>>>(p, n);
  cudaDeviceSynchronize();
  cudaFree(p);
}

// CHECK: ERROR: possible heap-buffer-overflow for n = {{[0-9]+$}}
// CHECK-NEXT: WRITE of size 4 0 bytes after {{[0-9]+}}-byte 'p', by thread ({{[0-9]+}},0,0) in block (0,0,0)
// CHECK-NEXT: #0 in fill {{.*}}guard.cu:18:12
// CHECK-NEXT: launched with grid ({{[0-9]+}},1,1) and block (256,1,1) at {{.*}}guard.cu:25:3
// CHECK-NEXT: 'p' was allocated by cudaMalloc at {{.*}}guard.cu:24:3
// CHECK-NEXT: SUMMARY: gasan-scan: possible heap-buffer-overflow {{.*}}guard.cu:18:12 in fill(int*, int)
// CHECK: 1 accesses: 0 proven, 0 proven if no signed integer overflows, 1 possible, 0 unknown
// FIXED-NOT: ERROR
// FIXED: guard.cu:18:12: write in fill(int*, int): proven
// FIXED: 1 accesses: 1 proven
// JSON: "kind": "heap-buffer-overflow"
// SARIF: "ruleId": "heap-buffer-overflow"

// The files have the form of all tools' files.
// RUN: %if schemas %{ %report_files --count 1 %t.json %t.sarif %}
