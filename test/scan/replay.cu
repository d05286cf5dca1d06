// A witness becomes a run on the CPU device, with its sizes, structures, and the contents of files.
// RUN: not %verdicts --replay --quiet %s 2>&1 | FileCheck %s
// RUN: %verdicts --replay --quiet -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>
#include <cstdlib>

struct Table {
  int *entries;
  int length;
};

namespace {
template <typename T>
__global__ void gather(Table table, const int *places, T *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  int place = places[i];
#ifdef FIXED
  if (place < 0 || place >= table.length)
    return;
#endif
  out[i] = table.entries[place];
}
} // namespace

__global__ void after(int *p) {
  p[0] = 1;
}

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  int n, length;
  if (!file || fscanf(file, "%d %d", &n, &length) != 2 || n < 1 || n > 64 || length < 1 || length > 64)
    return 2;
  int *host = new int[n];
  fread(host, sizeof(int), n, file);
  Table table;
  table.length = length;
  int *places, *out;
  cudaMalloc(&table.entries, length * sizeof(int));
  cudaMemset(table.entries, 0, length * sizeof(int));
  cudaMalloc(&places, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(places, host, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<1, 64>>>(table, places, out, n);
#ifndef FIXED
  if (n == 7)
    cudaFree(out);
#endif
  after<<<1, 1>>>(out);
#ifndef FIXED
  cudaMemcpy(host, places, (n + 1) * sizeof(int), cudaMemcpyDeviceToHost);
#endif
  cudaDeviceSynchronize();
}

// CHECK: possible heap-buffer-overflow
// CHECK: SUMMARY: gasan-scan: possible heap-buffer-overflow {{.*}}replay.cu:23:12
// CHECK-NEXT: Replayed on the CPU device. gasan reports:
// CHECK-NEXT: ERROR: AddressSanitizer: heap-buffer-overflow on cpu device 0
// CHECK-NEXT: READ of size 4
// CHECK: replay.cu:23:12
// CHECK: SUMMARY: gasan-scan: possible heap-use-after-free {{.*}}replay.cu:28:8
// CHECK-NEXT: Replayed on the CPU device. gasan reports:
// CHECK-NEXT: ERROR: AddressSanitizer: heap-use-after-free on cpu device 0
// CHECK: SUMMARY: gasan-scan: possible heap-buffer-overflow {{.*}}replay.cu:53:3
// CHECK-NEXT: Not confirmed: the error is a call of the host's code, and only kernels are replayed.
// CHECK: 2 of 4 possible errors confirmed on the CPU device
// FIXED-NOT: Not confirmed
// FIXED: 0 of 0 possible errors confirmed on the CPU device
