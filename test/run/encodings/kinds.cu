// A bug of each kind, with granules of 8, 128 and 256 bytes. The reports are the same, except for the bytes shown
// around the fault.
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=8 %s -o %t.8
// RUN: not %run %t.8 right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t.8 right 2>&1 | FileCheck %s --check-prefix=LEGEND8
// RUN: not %run %t.8 left 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not %run %t.8 freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t.8 straddle 2>&1 | FileCheck %s --check-prefix=STRADDLE
// RUN: not %run %t.8 range 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %run %t.8 api 2>&1 | FileCheck %s --check-prefix=API
// RUN: not %run %t.8 wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=128 %s -o %t.128
// RUN: not %run %t.128 right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t.128 right 2>&1 | FileCheck %s --check-prefix=LEGEND128
// RUN: not %run %t.128 left 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not %run %t.128 freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t.128 straddle 2>&1 | FileCheck %s --check-prefix=STRADDLE
// RUN: not %run %t.128 range 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %run %t.128 api 2>&1 | FileCheck %s --check-prefix=API
// RUN: not %run %t.128 wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=256 %s -o %t.256
// RUN: not %run %t.256 right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t.256 right 2>&1 | FileCheck %s --check-prefix=LEGEND256
// RUN: not %run %t.256 left 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not %run %t.256 freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t.256 straddle 2>&1 | FileCheck %s --check-prefix=STRADDLE
// RUN: not %run %t.256 range 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %run %t.256 api 2>&1 | FileCheck %s --check-prefix=API
// RUN: not %run %t.256 wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %run %t.8 none 2>&1 >/dev/null | %silent
// RUN: %run %t.128 none 2>&1 >/dev/null | %silent
// RUN: %run %t.256 none 2>&1 >/dev/null | %silent
#include <cstring>

// RIGHT: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address
// RIGHT-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
// RIGHT-NEXT: #0 touch(char*, long) {{.*}}kinds.cu:[[#@LINE+14]]:
// RIGHT: is located 0 bytes after 1000-byte region
// LEFT: ERROR: AddressSanitizer: heap-buffer-overflow
// LEFT: #0 touch(char*, long) {{.*}}kinds.cu:[[#@LINE+11]]:
// LEFT: is located 1 bytes before 1000-byte region
// FREED: ERROR: AddressSanitizer: heap-use-after-free
// FREED: #0 touch(char*, long) {{.*}}kinds.cu:[[#@LINE+8]]:
// FREED: is located 500 bytes inside of 1000-byte region
// FREED-NEXT: freed by host thread T0 here:
// FREED: previously allocated by host thread T0 here:
// WILD: ERROR: AddressSanitizer: heap-buffer-overflow
// WILD: #0 touch(char*, long) {{.*}}kinds.cu:[[#@LINE+3]]:
// WILD: is located {{[0-9]+}} bytes after 8-byte region
__global__ void touch(char *bytes, long index) {
  bytes[index] = 1;
}

// An access of 8 bytes, whose last 4 bytes are outside.
// STRADDLE: ERROR: AddressSanitizer: heap-buffer-overflow
// STRADDLE-NEXT: READ of size 8
// STRADDLE-NEXT: #0 load(unsigned long const*, int, unsigned long*) {{.*}}kinds.cu:[[#@LINE+3]]:
// STRADDLE: is located 0 bytes after 1004-byte region
__global__ void load(const unsigned long *values, int index, unsigned long *result) {
  *result = values[index];
}

// One access to many granules.
// RANGE: ERROR: AddressSanitizer: heap-buffer-overflow
// RANGE-NEXT: WRITE of size 1001
// RANGE: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}kinds.cu:[[#@LINE+3]]:{{[0-9]+}}
// RANGE-SAME: {{^}} in set(char*, unsigned long)
__global__ void set(char *bytes, size_t size) {
  memset(bytes, 7, size);
}

// API: ERROR: AddressSanitizer: heap-buffer-overflow
// API-NEXT: WRITE of size 1001 at {{0x[0-9a-f]+}} by cudaMemset called by host thread T0:
// API: in main {{.*}}kinds.cu:[[#@LINE+28]]:
// LEGEND8: (one shadow byte represents 8 application bytes)
// LEGEND128: (one shadow byte represents 128 application bytes)
// LEGEND256: (one shadow byte represents 256 application bytes)
int main(int, char **arguments) {
  const char *kind = arguments[1];
  char *bytes, *freed;
  unsigned long *values, *result;
  cudaMalloc(&bytes, 1000);
  cudaMalloc(&values, 1004);
  cudaMalloc(&result, sizeof *result);
  cudaMemset(bytes, 0, 1000);
  cudaMemset(values, 0, 1004);
  touch<<<1, 1>>>(bytes, 0);
  touch<<<1, 1>>>(bytes, 999);
  load<<<1, 1>>>(values, 124, result);
  set<<<1, 1>>>(bytes, 1000);
  if (!strcmp(kind, "right"))
    touch<<<1, 1>>>(bytes, 1000);
  if (!strcmp(kind, "left"))
    touch<<<1, 1>>>(bytes, -1);
  if (!strcmp(kind, "wild"))
    touch<<<1, 1>>>(bytes, 101000);
  if (!strcmp(kind, "straddle"))
    load<<<1, 1>>>(values, 125, result);
  if (!strcmp(kind, "range"))
    set<<<1, 1>>>(bytes, 1001);
  if (!strcmp(kind, "api"))
    cudaMemset(bytes, 0, 1001);
  if (!strcmp(kind, "freed")) {
    cudaMalloc(&freed, 1000);
    cudaFree(freed);
    touch<<<1, 1>>>(freed, 500);
  }
  cudaFree(result);
  cudaFree(values);
  cudaFree(bytes);
  return cudaDeviceSynchronize() != cudaSuccess;
}
