// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t bool 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not %run %t assume 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: not %run %t unreachable 2>&1 | FileCheck %s --check-prefix=UNREACHABLE
// RUN: not %run %t up 2>&1 | FileCheck %s --check-prefix=UP
// RUN: not %run %t down 2>&1 | FileCheck %s --check-prefix=DOWN
// RUN: %gasan -O1 -fsanitize-gpu-address-launch-proof=off %s -o %t.1
// RUN: not %run %t.1 bool 2>&1 | FileCheck %s --check-prefix=BOOL
// RUN: not %run %t.1 assume 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: not %run %t.1 unreachable 2>&1 | FileCheck %s --check-prefix=UNREACHABLE
// RUN: not %run %t.1 up 2>&1 | FileCheck %s --check-prefix=UP
// RUN: not %run %t.1 down 2>&1 | FileCheck %s --check-prefix=DOWN
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed bool assume unreachable up down 2>&1 >/dev/null | %silent
// Values that the language promises to be small. LLVM relies on the promise; at run time the value is larger, and its
// access is reported.
#include <climits>
#include <cstdlib>
#include <cstring>

#ifdef FIXED
constexpr int kByte = 1, kIndex = 63, kLast = 98;
#else
constexpr int kByte = 2, kIndex = 64, kLast = INT_MAX;
#endif

// A bool that is neither false nor true.
__global__ void flags(const bool *flag, int *out) {
  __shared__ int names[2];
  names[threadIdx.x & 1] = 1;
  __syncthreads();
  // BOOL: ERROR: AddressSanitizer: shared-buffer-overflow
  // BOOL-NEXT: READ of size 4
  // BOOL-NEXT: #0 flags(bool const*, int*) {{.*}}values.cu:[[#@LINE+1]]:
  out[0] = names[flag[0]];
}

__global__ void assumed(int i, int *out) {
  __shared__ int tile[64];
  __builtin_assume(i >= 0 && i < 64);
  // ASSUME: ERROR: AddressSanitizer: shared-buffer-overflow
  // ASSUME-NEXT: WRITE of size 4
  // ASSUME-NEXT: #0 assumed(int, int*) {{.*}}values.cu:[[#@LINE+1]]:
  tile[i] = i;
  __syncthreads();
  out[0] = tile[i ^ 1];
}

__global__ void unreachable(int i, int *out) {
  __shared__ int tile[64];
  int j = i & 127;
  if (j >= 64)
    __builtin_unreachable();
  // UNREACHABLE: ERROR: AddressSanitizer: shared-buffer-overflow
  // UNREACHABLE-NEXT: WRITE of size 4
  // UNREACHABLE-NEXT: #0 unreachable(int, int*) {{.*}}values.cu:[[#@LINE+1]]:
  tile[j] = i;
  __syncthreads();
  out[0] = tile[j ^ 1];
}

// i + 1 wraps around: &a[i + 1] is before all of a.
__global__ void up(int *values, int i, int *out) {
  // UP: ERROR: AddressSanitizer: heap-buffer-overflow
  // UP-NEXT: READ of size 4
  // UP-NEXT: #0 up(int*, int, int*) {{.*}}values.cu:[[#@LINE+1]]:
  out[0] = values[i] + values[i + 1];
}

__global__ void down(int *values, int i, int *out) {
  // DOWN: ERROR: AddressSanitizer: heap-buffer-overflow
  // DOWN-NEXT: READ of size 4
  // DOWN-NEXT: #0 down(int*, int, int*) {{.*}}values.cu:[[#@LINE+1]]:
  int next = values[i + 1];
  __threadfence_block();
  out[0] = next + values[i];
}

int main(int, char **arguments) {
  // BOOL: 0 bytes after {{.*}}'names'
  // ASSUME: 0 bytes after {{.*}}'tile'
  // UNREACHABLE: 0 bytes after {{.*}}'tile'
  // UP: is located 8589934188 bytes after 400-byte region
  // DOWN: is located {{[0-9]+}} bytes {{after|before}} 400-byte region
  bool *flag;
  int *values, *out;
  cudaMalloc(&flag, 1);
  cudaMalloc(&values, 100 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(flag, kByte, 1);
  cudaMemset(values, 0, 100 * sizeof(int));
  while (const char *name = *++arguments) {
    if (strcmp(name, "bool") == 0)
      flags<<<1, 2>>>(flag, out);
    else if (strcmp(name, "assume") == 0)
      assumed<<<1, 1>>>(kIndex, out);
    else if (strcmp(name, "unreachable") == 0)
      unreachable<<<1, 1>>>(kIndex, out);
    else if (strcmp(name, "up") == 0)
      up<<<1, 1>>>(values, kLast, out);
    else
      down<<<1, 1>>>(values, kLast, out);
    cudaDeviceSynchronize();
  }
  cudaFree(flag);
  cudaFree(values);
  cudaFree(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
