// Launch proofs about loops whose ends and indices are related: filters with a radius, mirrored borders, the edges of a
// product's tiles, and pairs. Each kernel is proven where its arrays are long enough, and reports where they are not.
// RUN: %gasan -O3 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=launch_proof=0 %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t filter 2>&1 | FileCheck %s --check-prefix=FILTER
// RUN: not %run %t mirror 2>&1 | FileCheck %s --check-prefix=MIRROR
// RUN: not %run %t product 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not %run %t pairs 2>&1 | FileCheck %s --check-prefix=PAIRS
// FINE: launch proof: 4 of 4 launches proven, by 4 evaluations; 4 of 4 kernels in every launch
// FINE: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstring>

// A filter with 2 * radius + 1 weights. Unrolled, its rounds end behind a counted rest.
__global__ void filter(const float *from, const float *weights, float *to, int count, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float sum = 0;
  for (int k = -radius; k <= radius; k++)
    if (i + k >= 0 && i + k < count)
      // FILTER: ERROR: AddressSanitizer: heap-buffer-overflow
      // FILTER: READ of size 4
      // FILTER-NEXT: #0 filter({{.*}}) {{.*}}related-loops.cu:[[#@LINE+3]]:
      // FILTER: located 0 bytes after 40-byte region
      // FILTER: allocated by host thread T0 here:
      sum += from[i + k] * weights[k + radius];
  to[i] = sum;
}

// Rows beyond the borders are mirrored, columns clamped.
__global__ void mirror(const float *from, float *to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int column = min(max(x + dx, 0), width - 1), row = y + dy;
      if (row < 0)
        row = -row;
      if (row >= height)
        row = 2 * height - 2 - row;
      // MIRROR: ERROR: AddressSanitizer: heap-buffer-overflow
      // MIRROR: READ of size 4
      // MIRROR-NEXT: #0 mirror({{.*}}) {{.*}}related-loops.cu:[[#@LINE+3]]:
      // MIRROR: located 0 bytes after 11996-byte region
      // MIRROR: allocated by host thread T0 here:
      sum += from[row * width + column];
    }
  to[y * width + x] = sum;
}

// A product of matrices, none of whose sides is a multiple of the tiles'.
__global__ void product(const float *a, const float *b, float *c, int rows, int columns, int inner) {
  __shared__ float of_a[16][16], of_b[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < (inner + 15) / 16; tile++) {
    int k = tile * 16;
    // PRODUCT: ERROR: AddressSanitizer: heap-buffer-overflow
    // PRODUCT: READ of size 4
    // PRODUCT-NEXT: #0 product({{.*}}) {{.*}}related-loops.cu:[[#@LINE+3]]:
    // PRODUCT: located 0 bytes after 7996-byte region
    // PRODUCT: allocated by host thread T0 here:
    of_a[threadIdx.y][threadIdx.x] = row < rows && k + threadIdx.x < inner ? a[row * inner + k + threadIdx.x] : 0;
    of_b[threadIdx.y][threadIdx.x] =
        k + threadIdx.y < inner && column < columns ? b[(k + threadIdx.y) * columns + column] : 0;
    __syncthreads();
    for (int j = 0; j < 16; j++)
      sum += of_a[threadIdx.y][j] * of_b[j][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = sum;
}

// Orders neighbours, first the pairs that begin with an even number.
__global__ void pairs(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int phase = 0; phase < 2; phase++) {
    int first = 2 * i + phase;
    // PAIRS: ERROR: AddressSanitizer: heap-buffer-overflow
    // PAIRS: READ of size 4
    // PAIRS-NEXT: #0 pairs(int*, int) {{.*}}related-loops.cu:[[#@LINE+3]]:
    // PAIRS: located 0 bytes after 1996-byte region
    // PAIRS: allocated by host thread T0 here:
    if (first + 1 < count && values[first] > values[first + 1]) {
      int value = values[first];
      values[first] = values[first + 1];
      values[first + 1] = value;
    }
    __syncthreads();
  }
}

int main(int, char **arguments) {
  auto shorter = [&](const char *what) { return !strcmp(arguments[1], what); };
  filter<<<4, 64>>>(array<float>(200), array<float>(11 - shorter("filter")), array<float>(200), 200, 5);
  mirror<<<dim3(4, 4), dim3(16, 16)>>>(array<float>(3000 - shorter("mirror")), array<float>(3000), 60, 50);
  product<<<dim3(4, 4), dim3(16, 16)>>>(array<float>(2000 - shorter("product")), array<float>(2400), array<float>(3000),
                                        50, 60, 40);
  pairs<<<4, 64>>>(array<int>(500 - shorter("pairs")), 500);
  return cudaDeviceSynchronize() != cudaSuccess;
}
