// Checks are exact to the byte for sizes around each granule: no access inside of the chunk is reported, and the access
// to the next byte is. With granule 256 the shadow cannot represent a size of 1 modulo 256: such a chunk has one byte
// more (GASan paper, section 3.1), so the accesses after the three such chunks are not reported.
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=8 %s -o %t.8
// RUN: %options=halt_on_error=0:print_repeated=1:print_limit=0:print_stats=1 not %run %t.8 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ALL
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=128 %s -o %t.128
// RUN: %options=halt_on_error=0:print_repeated=1:print_limit=0:print_stats=1 not %run %t.128 2>&1 | \
// RUN:   FileCheck %s --check-prefix=ALL
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=256 %s -o %t.256
// RUN: %options=halt_on_error=0:print_repeated=1:print_limit=0:print_stats=1 not %run %t.256 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SLACK
// ALL: Stats: 17 reports
// SLACK: Stats: 14 reports
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-granule=8 %s -o %t.fixed8
// RUN: %run %t.fixed8 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED -fsanitize-gpu-address-granule=256 %s -o %t.fixed256
// RUN: %run %t.fixed256 2>&1 >/dev/null | %silent
#include <cstdio>

__global__ void fill(unsigned char *bytes, int size) {
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    bytes[i] = (unsigned char)i;
}

__global__ void read(const unsigned char *bytes, int size, int *sum) {
#ifdef FIXED
  size--;
#endif
  *sum = bytes[size];
}

int main() {
  const int sizes[] = {1, 2, 7, 8, 9, 127, 128, 129, 130, 255, 256, 257, 258, 511, 512, 513, 1000};
  int *sum;
  cudaMalloc(&sum, sizeof *sum);
  for (int size : sizes) {
    unsigned char *bytes;
    cudaMalloc(&bytes, size);
    fill<<<1, 64>>>(bytes, size);
    read<<<1, 1>>>(bytes, size, sum);
    if (cudaFree(bytes) != cudaSuccess)
      return 2;
  }
  return cudaFree(sum) != cudaSuccess;
}
