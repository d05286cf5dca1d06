// Elements of a tile at indices that differ by constants and may wrap, because they are sums of unsigned numbers. Such
// accesses are checked together. An index below 0 wraps to a place far behind the tile.
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 0 8 2>&1 >/dev/null | %silent
// RUN: not %run %t 1 8 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not %run %t 4294967295 1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not %run %t 2147483640 8 2>&1 | FileCheck %s --check-prefix=GREATEST
#include <cstdlib>

constexpr unsigned Size = 264;

__global__ void sums(int *to, unsigned begin, unsigned count, unsigned zero) {
  __shared__ int tile[Size];
  for (unsigned i = threadIdx.x; i < Size; i += blockDim.x)
    tile[i] = i;
  __syncthreads();
  int sum = 0;
  unsigned at = begin + threadIdx.x * 8 - zero;
#pragma unroll 8
  for (unsigned i = 0; i < count; ++i)
    // LAST: ERROR: AddressSanitizer: shared-buffer-overflow
    // LAST: READ of size 4 at {{.*}} by device thread (32,0,0) block (0,0,0)
    // LAST-NEXT: #0 sums(int*, unsigned int, unsigned int, unsigned int) {{.*}}wrapping-index.cu:[[#@LINE+10]]:
    // LAST: located 0 bytes after shared variable 'tile' {{.*}}of size 1056
    // BELOW: ERROR: AddressSanitizer: shared-buffer-overflow
    // BELOW: READ of size 4 at {{.*}} by device thread (0,0,0) block (0,0,0)
    // BELOW-NEXT: #0 sums({{.*}}) {{.*}}wrapping-index.cu:[[#@LINE+6]]:
    // BELOW: located 4 bytes before shared variable 'tile'
    // GREATEST: ERROR: AddressSanitizer: shared-buffer-overflow
    // GREATEST: READ of size 4 at {{.*}} by device thread (
    // GREATEST-NEXT: #0 sums({{.*}}) {{.*}}wrapping-index.cu:[[#@LINE+2]]:
    // GREATEST: 'tile'
    sum += tile[(int)(at + i)];
  to[threadIdx.x] = sum;
}

int main(int, char **argv) {
  int *to, sum = 0;
  cudaMalloc(&to, 33 * sizeof *to);
  sums<<<1, 33>>>(to, strtoul(argv[1], nullptr, 0), strtoul(argv[2], nullptr, 0), 0);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  cudaMemcpy(&sum, to + 32, sizeof sum, cudaMemcpyDeviceToHost);
  return sum != 8 * 256 + 28;
}
