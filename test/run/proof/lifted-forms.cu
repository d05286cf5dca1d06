// Launch proofs about forms that code from PTX has: a division by 0 is one by 1, and the remainder is then the
// dividend; a test compares the dividend with a multiple; shifts are clamped; the butterfly's places are bytes; a
// pointer moves beside a counter that tests compare with the thread's number.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: %options=launch_proof=0 %run %t fine 2>&1 >/dev/null | %silent
// RUN: not %run %t right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t zero 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not %run %t diagonal 2>&1 | FileCheck %s --check-prefix=DIAGONAL
// RUN: not %run %t behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// FINE: launch proof: 4 of 4 launches proven, by 4 evaluations; 4 of 4 kernels in every launch
// FINE: Stats: 0 reports
#include "zeroed-array.cuh"

#include <cstring>

__global__ void neighbours(const float *from, float *to, unsigned width, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = i / max(width, 1u), column = i - row * width;
  if (row >= rows)
    return;
  float sum = 0;
  if (i != row * width)
    sum += from[i - 1];
  if (column < width - 1)
    // RIGHT: ERROR: AddressSanitizer: heap-buffer-overflow
    // RIGHT: READ of size 4
    // RIGHT-NEXT: #0 neighbours({{.*}}lifted-forms.cu:[[#@LINE+1]]:
    sum += from[i + 1];
  to[i] = sum;
}

__global__ void transform(float *to, unsigned log2n) {
  extern __shared__ __align__(16) char tile[];
  const unsigned n = log2n >= 32 ? 0 : 1u << log2n;
  // Through a pointer variable: clang takes *(float *)(tile + i * 4) for unaligned and moves each byte by itself, which
  // gives a wrong sum on a GPU, without checks, too.
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    float *at = (float *)(tile + i * 4);
    // SHORT: ERROR: AddressSanitizer: shared-buffer-overflow
    // SHORT-NEXT: WRITE of size 4
    // SHORT-NEXT: #0 transform(float*, unsigned int) {{.*}}lifted-forms.cu:[[#@LINE+1]]:
    *at = i;
  }
  for (unsigned distance = n >> 1; distance != 0; distance >>= 1) {
    __syncthreads();
    for (unsigned pair = threadIdx.x; pair < n >> 1; pair += blockDim.x) {
      unsigned at = (pair << 3) - ((pair & (distance - 1)) << 2);
      float *a = (float *)(tile + at), *b = (float *)(tile + at + distance * 4), sum = *a + *b;
      *b = *a - *b;
      *a = sum;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
    float *at = (float *)(tile + i * 4);
    to[i] = *at;
  }
}

// The diagonals behind the longest one; each ends one thread earlier.
template <int LENGTH>
__global__ void diagonals(int *to) {
  __shared__ int tile[LENGTH];
  int t = threadIdx.x, *at = tile + 16 * 17 + 1 - t * 16;
  for (int i = t; i < LENGTH; i += blockDim.x)
    tile[i] = i;
  __syncthreads();
#pragma unroll 1
  for (int m = 15; m >= 0; m--, at++) {
    // DIAGONAL: ERROR: AddressSanitizer: shared-buffer-overflow
    // DIAGONAL-NEXT: READ of size 4
    // DIAGONAL-NEXT: #0 void diagonals<{{[0-9]+}}>(int*) {{.*}}lifted-forms.cu:[[#@LINE+3]]:
    // DIAGONAL: 'tile'
    if (t <= m)
      at[0] += at[-1];
    __syncthreads();
  }
  to[t] = tile[t];
}

// The number of three rounds before.
template <int FIRST>
__global__ void behind(int *to, int first) {
  __shared__ int list[13];
  int *at = list;
#pragma unroll 1
  for (int i = 0; i < 16; i++, at++) {
    // BEHIND: ERROR: AddressSanitizer: shared-buffer-overflow
    // BEHIND-NEXT: WRITE of size 4
    // BEHIND-NEXT: #0 void behind<{{[0-9]+}}>(int*, int) {{.*}}lifted-forms.cu:[[#@LINE+3]]:
    // BEHIND: 'list'
    if (i >= FIRST)
      at[-3] = i + first;
    __syncthreads();
  }
  to[threadIdx.x] = list[threadIdx.x];
}

int main(int argc, char **argv) {
  auto is = [&](const char *name) { return !strcmp(argv[1], name); };
  const unsigned width = 50, rows = 7, count = width * rows, log2n = 6, n = 1 << log2n;
  float *from = array<float>(is("right") ? count - 1 : count), *to = array<float>(count);
  neighbours<<<4, 100>>>(from, to, is("zero") ? 0 : width, is("zero") ? count : rows);
  transform<<<1, 16, is("short") ? n * 4 - 4 : n * 4>>>(to, log2n);
  int *numbers = array<int>(16);
  if (is("diagonal"))
    diagonals<16 * 18><<<1, 16>>>(numbers);
  else
    diagonals<16 * 18 + 1><<<1, 16>>>(numbers);
  if (is("behind"))
    behind<2><<<1, 8>>>(numbers, 1);
  else
    behind<3><<<1, 8>>>(numbers, 1);
  float first;
  cudaMemcpy(&first, to, sizeof first, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize() != cudaSuccess || first != n * (n - 1) / 2;
}
