// Accesses at offsets that are constant, or in a known range, one byte beyond the last good offset: after an array of
// bytes, before it, at the end of a range, by an access wider than its variable, and before a field of a variable.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t range 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %run %t wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t field 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: %gasan -O0 %s -o %t.plain
// RUN: not %run %t.plain behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t.plain before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t.plain range 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not %run %t.plain wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t.plain field 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed behind 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed before 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed range 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed wide 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed field 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
constexpr int behindEnd = 15, beforeStart = 0, most = 15;
using Read = int;
#else
constexpr int behindEnd = 16, beforeStart = -1, most = 16;
using Read = long;
#endif

__global__ void behind(char *sum) {
  __shared__ char bytes[16];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  // BEHIND: ERROR: AddressSanitizer: shared-buffer-overflow
  // BEHIND-NEXT: READ of size 1
  // BEHIND-NEXT: #0 behind(char*) {{.*}}constant-offsets.cu:[[#@LINE+1]]:
  *sum = bytes[behindEnd];
  // BEHIND: is located 0 bytes after shared variable 'bytes'
}

__global__ void before(char *sum) {
  __shared__ char bytes[16];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  // BEFORE: ERROR: AddressSanitizer: shared-buffer-overflow
  // BEFORE-NEXT: READ of size 1
  // BEFORE-NEXT: #0 before(char*) {{.*}}constant-offsets.cu:[[#@LINE+1]]:
  *sum = bytes[beforeStart];
  // BEFORE: is located 1 bytes before shared variable 'bytes'
}

__global__ void range(char *sum, int index) {
  __shared__ char bytes[16];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  const unsigned last = most; // the compiler knows the range 0 to 16
  // RANGE: ERROR: AddressSanitizer: shared-buffer-overflow
  // RANGE-NEXT: READ of size 1
  // RANGE-NEXT: #0 range(char*, int) {{.*}}constant-offsets.cu:[[#@LINE+1]]:
  *sum = bytes[unsigned(index) < last ? unsigned(index) : last];
  // RANGE: is located 0 bytes after shared variable 'bytes'
}

__global__ void wide(char *sum) {
  __shared__ alignas(8) int number;
  number = threadIdx.x;
  __syncthreads();
  // WIDE: ERROR: AddressSanitizer: shared-buffer-overflow
  // WIDE-NEXT: READ of size 8
  // WIDE-NEXT: #0 wide(char*) {{.*}}constant-offsets.cu:[[#@LINE+1]]:
  *sum = *reinterpret_cast<volatile Read *>(&number) != 0;
  // WIDE: is located 0 bytes after shared variable 'number'
}

struct Record {
  char head[16], tail[16];
};

__global__ void field(char *sum, int index) {
  __shared__ Record record;
  record.head[threadIdx.x] = record.tail[threadIdx.x] = 1;
  __syncthreads();
  // FIELD: ERROR: AddressSanitizer: intra-object-overflow
  // FIELD-NEXT: READ of size 1
  // FIELD-NEXT: #0 field(char*, int) {{.*}}constant-offsets.cu:[[#@LINE+1]]:
  *sum = record.tail[(index & 7) + 8 * beforeStart];
  // FIELD: is located 1 bytes before field 'Record::tail'
}

int main(int, char **argv) {
  char *sum;
  cudaMalloc(&sum, 1);
  if (!strcmp(argv[1], "behind"))
    behind<<<1, 16>>>(sum);
  if (!strcmp(argv[1], "before"))
    before<<<1, 16>>>(sum);
  if (!strcmp(argv[1], "range"))
    range<<<1, 16>>>(sum, 99);
  if (!strcmp(argv[1], "wide"))
    wide<<<1, 1>>>(sum);
  if (!strcmp(argv[1], "field"))
    field<<<1, 16>>>(sum, 7);
  return cudaDeviceSynchronize() != cudaSuccess;
}
