// An index of 2^30 elements or more: shared addresses of a GPU have 32 bits, so the access wraps around into the array.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not %run %t dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not %run %t below 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not %run %t either 2>&1 | FileCheck %s --check-prefix=EITHER
// RUN: not %run %t chosen 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: not %run %t walked 2>&1 | FileCheck %s --check-prefix=WALKED
// RUN: %gasan -O0 %s -o %t.plain
// RUN: not %run %t.plain index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not %run %t.plain below 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not %run %t.plain chosen 2>&1 | FileCheck %s --check-prefix=CHOSEN
// RUN: not %run %t.plain walked 2>&1 | FileCheck %s --check-prefix=WALKED
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed index 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed dynamic 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed below 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed either 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed chosen 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed walked 2>&1 >/dev/null | %silent
#include <cstring>

__global__ void index(long high, int *sum) {
  __shared__ int values[32];
  values[threadIdx.x] = 1;
  __syncthreads();
  // INDEX: ERROR: AddressSanitizer: shared-buffer-overflow
  // INDEX-NEXT: READ of size 4
  // INDEX-NEXT: #0 index(long, int*) {{.*}}high-index.cu:[[#@LINE+1]]:
  *sum = values[threadIdx.x + high];
  // INDEX: is located 4294967296 bytes after shared variable 'values'
}

__global__ void dynamic(long high, int *sum) {
  extern __shared__ int values[];
  values[threadIdx.x] = 1;
  __syncthreads();
  // DYNAMIC: ERROR: AddressSanitizer: shared-buffer-overflow
  // DYNAMIC-NEXT: WRITE of size 4
  // DYNAMIC-NEXT: #0 dynamic(long, int*) {{.*}}high-index.cu:[[#@LINE+1]]:
  values[threadIdx.x + high] = *sum;
  // DYNAMIC: is located 4294967296 bytes after
}

__global__ void below(unsigned less, int *sum) {
  __shared__ int values[32];
  values[threadIdx.x] = 1;
  __syncthreads();
  // BELOW: ERROR: AddressSanitizer: shared-buffer-overflow
  // BELOW-NEXT: READ of size 4
  // BELOW-NEXT: #0 below(unsigned int, int*) {{.*}}high-index.cu:[[#@LINE+1]]:
  *sum = values[threadIdx.x - less];
  // BELOW: is located 17179869052 bytes after shared variable 'values'
}

__global__ void either(long high, int *sum, bool which) {
  __shared__ int few[8], many[32];
  few[threadIdx.x & 7] = many[threadIdx.x] = 1;
  __syncthreads();
  const int *values = which ? few : many;
  // EITHER: ERROR: AddressSanitizer: shared-buffer-overflow
  // EITHER-NEXT: READ of size 4
  // EITHER-NEXT: #0 either(long, int*, bool) {{.*}}high-index.cu:[[#@LINE+1]]:
  *sum = values[threadIdx.x + high];
  // EITHER: is located 4294967296 bytes after shared variable 'few'
}

// Pointers that are moved before they are merged.
__global__ void chosen(long high, int *sum, bool which) {
  __shared__ int values[32];
  values[threadIdx.x] = 1;
  __syncthreads();
  const int *value = which ? values + threadIdx.x + high : values;
  // CHOSEN: ERROR: AddressSanitizer: shared-buffer-overflow
  // CHOSEN-NEXT: READ of size 4
  // CHOSEN-NEXT: #0 chosen(long, int*, bool) {{.*}}high-index.cu:[[#@LINE+1]]:
  *sum = *value;
  // CHOSEN: is located 4294967296 bytes after shared variable 'values'
}

__global__ void walked(long high, int *sum, int steps) {
  __shared__ int values[32];
  int *value = values + threadIdx.x;
  *value = 1;
  for (int i = 0; i < steps; ++i) {
    __syncthreads();
    value += high;
    // WALKED: ERROR: AddressSanitizer: shared-buffer-overflow
    // WALKED-NEXT: WRITE of size 4
    // WALKED-NEXT: #0 walked(long, int*, int) {{.*}}high-index.cu:[[#@LINE+1]]:
    *value = i;
    // WALKED: is located 4294967296 bytes after shared variable 'values'
  }
  *sum = values[threadIdx.x];
}

int main(int, char **argv) {
  int *sum;
  cudaMalloc(&sum, sizeof(int));
#ifdef FIXED
  const long high = 0;
  const unsigned less = 0;
#else
  const long high = 1l << 30;
  const unsigned less = 1;
#endif
  if (!strcmp(argv[1], "index"))
    index<<<1, 1>>>(high + !!high * 32, sum);
  if (!strcmp(argv[1], "dynamic"))
    dynamic<<<1, 1, 128>>>(high + !!high * 32, sum);
  if (!strcmp(argv[1], "below"))
    below<<<1, 1>>>(less, sum);
  if (!strcmp(argv[1], "either"))
    either<<<1, 1>>>(high + !!high * 8, sum, true);
  if (!strcmp(argv[1], "chosen"))
    chosen<<<1, 1>>>(high + !!high * 32, sum, true);
  if (!strcmp(argv[1], "walked"))
    walked<<<1, 1>>>(high + !!high * 32, sum, 2);
  return cudaDeviceSynchronize() != cudaSuccess;
}
