// A second free of a CUDA array is reported.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t array 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not %run %t levels 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed array 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed levels 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
#define BUG(...)
#else
#define BUG(...) __VA_ARGS__
#endif

int main(int, char **arguments) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMipmappedArray_t levels;
  cudaMallocArray(&array, &format, 16, 4);
  cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 4, 0), 2, 0);
  if (!strcmp(arguments[1], "array")) {
    // ARRAY: ERROR: AddressSanitizer: attempting double-free on array 0x{{[0-9a-f]+}} by host thread T0:
    // ARRAY-NEXT: in cudaFreeArray
    // ARRAY-NEXT: in main {{.*}}arrays.cu:[[#@LINE+7]]:
    // ARRAY: freed by host thread T0 here:
    // ARRAY-NEXT: in cudaFreeArray
    // ARRAY-NEXT: in main {{.*}}arrays.cu:[[#@LINE+3]]:
    // ARRAY: previously allocated by host thread T0 here:
    // ARRAY: SUMMARY: AddressSanitizer: double-free {{.*}}arrays.cu:[[#@LINE+2]]:
    cudaFreeArray(array);
    BUG(cudaFreeArray(array));
    cudaMallocArray(&array, &format, 16, 4); // often gets the same handle
    cudaFreeArray(array);
  } else {
    // LEVELS: ERROR: AddressSanitizer: attempting double-free on array 0x{{[0-9a-f]+}} by host thread T0:
    // LEVELS-NEXT: in cudaFreeMipmappedArray
    // LEVELS-NEXT: in main {{.*}}arrays.cu:[[#@LINE+2]]:
    cudaFreeMipmappedArray(levels);
    BUG(cudaFreeMipmappedArray(levels));
    cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 4, 0), 2, 0);
    cudaFreeMipmappedArray(levels);
  }
  return cudaGetLastError() != cudaSuccess;
}
