// A copy and a fill of one row too many in pitched memory are reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t copy 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: not %run %t set 2>&1 | FileCheck %s --check-prefix=SET
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed copy 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed set 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int rows = 16;
#else
const int rows = 17;
#endif

int main(int, char **arguments) {
  static char host[32][100];
  char *image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, 100, 16);
  cudaError_t error;
  if (!strcmp(arguments[1], "copy"))
    // COPY: ERROR: AddressSanitizer: heap-buffer-overflow
    // COPY-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemcpy2D called by host thread T0:
    // COPY: in main {{.*}}two-dimensions.cu:[[#@LINE+1]]:
    error = cudaMemcpy2D(image, pitch, host, 100, 100, rows, cudaMemcpyHostToDevice);
  else
    // SET: ERROR: AddressSanitizer: heap-buffer-overflow
    // SET-NEXT: WRITE of size 100 at {{0x[0-9a-f]+}} by cudaMemset2D called by host thread T0:
    // SET: in main {{.*}}two-dimensions.cu:[[#@LINE+1]]:
    error = cudaMemset2D(image, pitch, 1, 100, rows);
  // COPY: 0x{{[0-9a-f]+}} is byte 0 of row 16 (counted from 0)
  // COPY: allocated by host thread T0 here:
  // COPY-NEXT: #0 {{0x[0-9a-f]+}} in cudaMallocPitch
  cudaFree(image);
  return error != cudaSuccess;
}
