// Copies between an array and linear memory that is too short, or freed, are reported.
// RUN: %gasan -O2 -Wno-deprecated-declarations %s -o %t
// RUN: not %run %t to 2>&1 | FileCheck %s --check-prefix=TO
// RUN: not %run %t to-async 2>&1 | FileCheck %s --check-prefix=TOASYNC
// RUN: not %run %t to-rows 2>&1 | FileCheck %s --check-prefix=TOROWS
// RUN: not %run %t from 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not %run %t from-rows 2>&1 | FileCheck %s --check-prefix=FROMROWS
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %gasan -O2 -Wno-deprecated-declarations -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed to 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed to-async 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed to-rows 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed from 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed from-rows 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed freed 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int more = 0;
#else
const int more = 4;
#endif

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  const cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 64, 16);
  char *memory;
  cudaMalloc(&memory, 200);
  cudaMemset(memory, 0, 200);
  cudaError_t error = cudaSuccess;
  if (!strcmp(wanted, "to")) {
    // TO: ERROR: AddressSanitizer: heap-buffer-overflow
    // TO-NEXT: READ of size 204 at {{0x[0-9a-f]+}} by cudaMemcpyToArray called by host thread T0:
    // TO: in main {{.*}}arrays.cu:[[#@LINE+2]]:
    // TO: is located 0 bytes after 200-byte region
    error = cudaMemcpyToArray(array, 0, 0, memory, 200 + more, kind);
  }
  if (!strcmp(wanted, "to-async")) {
    // TOASYNC: ERROR: AddressSanitizer: heap-buffer-overflow
    // TOASYNC-NEXT: READ of size 204 at {{0x[0-9a-f]+}} by cudaMemcpyToArrayAsync called by host thread T0:
    // TOASYNC: in main {{.*}}arrays.cu:[[#@LINE+1]]:
    error = cudaMemcpyToArrayAsync(array, 0, 0, memory, 200 + more, kind, nullptr);
  }
  if (!strcmp(wanted, "to-rows")) {
    // TOROWS: ERROR: AddressSanitizer: heap-buffer-overflow
    // TOROWS-NEXT: READ of size 20 at {{0x[0-9a-f]+}} by cudaMemcpy2DToArray called by host thread T0:
    // TOROWS: in main {{.*}}arrays.cu:[[#@LINE+2]]:
    // TOROWS: is byte 0 of row 10 (counted from 0)
    error = cudaMemcpy2DToArray(array, 0, 0, memory, 20, 20, more ? 11 : 10, kind);
  }
  if (!strcmp(wanted, "from")) {
    // FROM: ERROR: AddressSanitizer: heap-buffer-overflow
    // FROM-NEXT: WRITE of size 204 at {{0x[0-9a-f]+}} by cudaMemcpyFromArray called by host thread T0:
    // FROM: in main {{.*}}arrays.cu:[[#@LINE+1]]:
    error = cudaMemcpyFromArray(memory, array, 0, 0, 200 + more, kind);
  }
  if (!strcmp(wanted, "from-rows")) {
    // FROMROWS: ERROR: AddressSanitizer: heap-buffer-overflow
    // FROMROWS-NEXT: WRITE of size 20 at {{0x[0-9a-f]+}} by cudaMemcpy2DFromArray called by host thread T0:
    // FROMROWS: in main {{.*}}arrays.cu:[[#@LINE+2]]:
    // FROMROWS: is byte 0 of row 10 (counted from 0)
    error = cudaMemcpy2DFromArray(memory, 20, array, 0, 0, 20, more ? 11 : 10, kind);
  }
  if (!strcmp(wanted, "freed")) {
    if (more)
      cudaFree(memory);
    // FREED: ERROR: AddressSanitizer: heap-use-after-free
    // FREED-NEXT: READ of size 200 at {{0x[0-9a-f]+}} by cudaMemcpyToArray called by host thread T0:
    // FREED: in main {{.*}}arrays.cu:[[#@LINE+3]]:
    // FREED: freed by host thread T0 here:
    // FREED: in main {{.*}}arrays.cu:[[#@LINE-5]]:
    error = cudaMemcpyToArray(array, 0, 0, memory, 200, kind);
    if (!more)
      cudaFree(memory);
  }
  return error != cudaSuccess;
}
