// Accesses out of the bounds of an allocation: to the element after the last one, and (far) to another live allocation.
// CATEGORY: global
// CASE: adjacent read device
// CASE: adjacent read managed
// CASE: adjacent write device
// CASE: adjacent write managed
// CASE: far read device
// CASE: far read managed
// CASE: far write device
// CASE: far write managed
#include "case.h"

__global__ void load(const int *values, int *sink, long index) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // READ-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // READ-NEXT: #0 load(int const*, int*, long) {{.*}}global.cu:[[#@LINE+1]]:
  *sink = values[index];
}

__global__ void store(int *values, int *sink, long index) {
  // WRITE-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // WRITE-NEXT: #0 store(int*, int*, long) {{.*}}global.cu:[[#@LINE+1]]:
  values[index] = 99;
  *sink = 99;
}

int main(int, char **arguments) {
  words = arguments;
  // ADJACENT: is located 0 bytes after 400-byte region
  // FAR: is located {{[0-9]+}} bytes {{after|before}} 400-byte region
  // CHECK: allocated by host thread T0 here:
  // DEVICE: cudaMalloc
  // MANAGED: cudaMallocManaged
  int *values = allocate(100);
  int *others = allocate(100);
  int *sink = allocate(1);
  long bad = chosen("far") ? others + 50 - values : 100;
  long index = BUG_OR_FIXED(bad, 99);
  if (chosen("read"))
    load<<<1, 1>>>(values, sink, index);
  else
    store<<<1, 1>>>(values, sink, index);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(values));
  CUDA(cudaFree(others));
  CUDA(cudaFree(sink));
  return finish(result, 99);
}
