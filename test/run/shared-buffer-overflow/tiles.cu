// An access one element past a static __shared__ array, which another array follows, and past the launch's dynamic
// shared memory.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t static 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=STATIC
// RUN: not %run %t dynamic 2>&1 >/dev/null | %golden.1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: %run %t none 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 static 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not %run %t.O0 dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: %run %t.O0 none 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void reverse(int *values, int distance) {
  __shared__ int tile[64], other[64];
  tile[threadIdx.x] = values[threadIdx.x];
  other[threadIdx.x] = 0;
  __syncthreads();
  // STATIC: ERROR: AddressSanitizer: shared-buffer-overflow
  // STATIC-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
  // STATIC-NEXT: #0 reverse(int*, int) {{.*}}tiles.cu:[[#@LINE+2]]:
  // STATIC: is located 0 bytes after {{.*}}'{{.*}}tile' {{.*}}of size 256
  values[threadIdx.x] = tile[distance - threadIdx.x] + other[threadIdx.x];
}

__global__ void rotate(int *values, int distance) {
  extern __shared__ int region[];
  // DYNAMIC: ERROR: AddressSanitizer: shared-buffer-overflow
  // DYNAMIC-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (63,0,0) block (0,0,0) lane 31{{$}}
  // DYNAMIC-NEXT: #0 rotate(int*, int) {{.*}}tiles.cu:[[#@LINE+2]]:
  // DYNAMIC: is located 0 bytes after dynamic shared memory {{.*}}of size 256
  region[threadIdx.x + distance] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = region[threadIdx.x];
}

int main(int, char **arguments) {
  int values[64], *onDevice;
  for (int i = 0; i < 64; ++i)
    values[i] = i;
  cudaMalloc(&onDevice, sizeof values);
  cudaMemcpy(onDevice, values, sizeof values, cudaMemcpyHostToDevice);
  reverse<<<1, 64>>>(onDevice, strcmp(arguments[1], "static") ? 63 : 64);
  rotate<<<1, 64, 64 * sizeof(int)>>>(onDevice, strcmp(arguments[1], "dynamic") ? 0 : 1);
  cudaMemcpy(values, onDevice, sizeof values, cudaMemcpyDeviceToHost);
  cudaFree(onDevice);
  return values[0] != 63 || values[63] != 0;
}
