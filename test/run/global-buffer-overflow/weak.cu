// An access one element past a variable that other units may define too. Without -fgpu-rdc there is no other
// definition; with it, the link chooses one. Here the longer `counts` of inputs/strong.cu replaces the weak one.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 weak 8 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: not %run %t.O0 member 4 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: %run %t.O0 weak 7 2>&1 >/dev/null | %silent
// RUN: %run %t.O0 member 3 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t weak 8 2>&1 | FileCheck %s --check-prefix=WEAK
// RUN: not %run %t member 4 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: %run %t weak 7 2>&1 >/dev/null | %silent
// RUN: %run %t member 3 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fgpu-rdc %s %S/inputs/strong.cu -o %t.rdc
// RUN: not %run %t.rdc weak 16 2>&1 | FileCheck %s --check-prefix=STRONG
// RUN: %run %t.rdc weak 15 2>&1 >/dev/null | %silent
#include <cstdlib>
#include <cstring>

__device__ __attribute__((weak)) int counts[8];

template <typename T>
struct Table {
  static __device__ T values[4];
};
template <typename T>
__device__ T Table<T>::values[4];

__global__ void count(int index) {
  // WEAK: ERROR: AddressSanitizer: global-buffer-overflow
  // WEAK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // WEAK-NEXT: #0 count(int) {{.*}}weak.cu:[[#@LINE+6]]:
  // WEAK: is located 0 bytes after global variable 'counts' defined in '{{.*}}weak.cu:[[#@LINE-13]]' of size 32
  // STRONG: ERROR: AddressSanitizer: global-buffer-overflow
  // STRONG-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // STRONG-NEXT: #0 count(int) {{.*}}weak.cu:[[#@LINE+2]]:
  // STRONG: is located 0 bytes after global variable 'counts' defined in '{{.*}}strong.cu:2' of size 64
  counts[index] = 1;
}

__global__ void look_up(int *out, int index) {
  // MEMBER: ERROR: AddressSanitizer: global-buffer-overflow
  // MEMBER-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // MEMBER-NEXT: #0 look_up(int*, int) {{.*}}weak.cu:[[#@LINE+2]]:
  // MEMBER: is located 0 bytes after global variable 'values' {{.*}}of size 16
  *out = Table<int>::values[index];
}

int main(int, char **arguments) {
  const int index = atoi(arguments[2]);
  int *out;
  cudaMalloc(&out, sizeof *out);
  if (!strcmp(arguments[1], "weak"))
    count<<<1, 1>>>(index);
  else
    look_up<<<1, 1>>>(out, index);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed;
}
