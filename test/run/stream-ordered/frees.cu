// Stream-ordered memory is checked like any other memory. A free takes effect at its place in the stream.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t same-stream 2>&1 >/dev/null | %golden.1 | FileCheck %s --check-prefix=STREAM
// RUN: not %run %t other-stream 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %run %t copy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not %run %t twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %run %t then-free 2>&1 | FileCheck %s --check-prefix=THEN
// RUN: not %run %t interior 2>&1 | FileCheck %s --check-prefix=INTERIOR
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t stack 2>&1 | FileCheck %s --check-prefix=STACK
// RUN: %run %t fine 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void fill(int *values, int count, int rounds) {
  for (int round = 0; round < rounds; ++round)
    if (threadIdx.x < count)
      ((volatile int *)values)[threadIdx.x] = round;
}

int main(int, char **arguments) {
  const char *what = arguments[1];
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int *values, *kept, *managed, host[100] = {};
  cudaMallocAsync((void **)&values, 100 * sizeof(int), stream);
  cudaMallocAsync((void **)&kept, 100 * sizeof(int), stream);
  fill<<<1, 128, 0, stream>>>(kept, 100, 1);
  // OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // OVERFLOW: #0 fill(int*, int, int) {{.*}}frees.cu:[[#@LINE-13]]:
  // OVERFLOW: is located 0 bytes after 400-byte region
  // OVERFLOW: allocated by host thread T0 here:
  // OVERFLOW-NEXT: #0 {{0x[0-9a-f]+}} in cudaMallocAsync
  fill<<<1, 128, 0, stream>>>(values, !strcmp(what, "overflow") ? 101 : 100, 20000);
  cudaFreeAsync(values, stream);
  // STREAM: ERROR: AddressSanitizer: heap-use-after-free on {{cpu|cuda}} device 0
  // STREAM: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // STREAM-NEXT: #0 fill(int*, int, int) {{.*}}frees.cu:[[#@LINE-21]]:
  // STREAM: freed by host thread T0 here:
  // STREAM-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeAsync
  // STREAM: previously allocated by host thread T0 here:
  // STREAM-NEXT: #0 {{0x[0-9a-f]+}} in cudaMallocAsync
  if (!strcmp(what, "same-stream"))
    fill<<<1, 64, 0, stream>>>(values, 100, 1);
  // OTHER: ERROR: AddressSanitizer: heap-use-after-free
  // OTHER: #0 fill(int*, int, int) {{.*}}frees.cu:[[#@LINE-29]]:
  if (!strcmp(what, "other-stream")) {
    cudaStreamSynchronize(stream);
    fill<<<1, 64, 0, other>>>(values, 100, 1);
  }
  // COPY: ERROR: AddressSanitizer: heap-use-after-free
  // COPY-NEXT: WRITE of size 400 at {{0x[0-9a-f]+}} by cudaMemcpyAsync called by host thread T0:
  // COPY: in main {{.*}}frees.cu:[[#@LINE+3]]:
  // COPY: freed by host thread T0 here:
  if (!strcmp(what, "copy"))
    cudaMemcpyAsync(values, host, sizeof host, cudaMemcpyHostToDevice, stream);
  // TWICE: ERROR: AddressSanitizer: attempting double-free on
  // TWICE: #0 {{0x[0-9a-f]+}} in cudaFreeAsync
  // TWICE: in main {{.*}}frees.cu:[[#@LINE+3]]:
  // TWICE: freed by host thread T0 here:
  if (!strcmp(what, "twice"))
    cudaFreeAsync(values, other);
  // THEN: ERROR: AddressSanitizer: attempting double-free on
  // THEN: #0 {{0x[0-9a-f]+}} in cudaFree
  // THEN: in main {{.*}}frees.cu:[[#@LINE+4]]:
  // THEN: freed by host thread T0 here:
  // THEN-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeAsync
  if (!strcmp(what, "then-free"))
    cudaFree(values);
  // INTERIOR: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // INTERIOR: in main {{.*}}frees.cu:[[#@LINE+3]]:
  // INTERIOR: is located 40 bytes inside of 400-byte region
  if (!strcmp(what, "interior"))
    cudaFreeAsync(kept + 10, stream);
  // MANAGED: ERROR: AddressSanitizer: alloc-dealloc-mismatch (cudaMallocManaged vs cudaFreeAsync)
  // MANAGED: in main {{.*}}frees.cu:[[#@LINE+3]]:
  cudaMallocManaged((void **)&managed, 100);
  if (!strcmp(what, "managed"))
    cudaFreeAsync(managed, stream);
  // STACK: ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed:
  // STACK-NEXT: #0 {{0x[0-9a-f]+}} in cudaFreeAsync
  // STACK: in main {{.*}}frees.cu:[[#@LINE+2]]:
  if (!strcmp(what, "stack"))
    cudaFreeAsync(host, stream);
  fill<<<1, 128, 0, stream>>>(kept, 100, 1);
  cudaFreeAsync(kept, stream);
  cudaFree(managed);
  return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess;
}
