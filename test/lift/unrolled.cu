// Launch proofs of loops that nvcc unrolls: loops with a computed step, a tile that all threads fill, bits that
// straddle words, a place that moves on beside two loops, and windows that have an element, whose index nvcc reduces to
// sums. An array that is one element too short is reported.
// RUN: env CUDA_HOME=%cuda GASAN_PTXAS_FLAGS='--strict -fsanitize-gpu-address-devices=cpu' \
// RUN:   %gasan_nvcc --front-end=nvcc -arch=sm_90 %s -o %t
// RUN: env GASAN_OPTIONS=device=cpu:print_stats=1 %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: env GASAN_OPTIONS=device=cpu:launch_proof=0 %t fine 2>&1 | count 0
// RUN: for bug in scale tile unpack spread gather; do for proof in 0 1; do \
// RUN:   not env GASAN_OPTIONS=device=cpu:launch_proof=$proof %t $bug 2>&1 | FileCheck %s --check-prefix=$bug || \
// RUN:     exit 1; \
// RUN: done; done
// FINE: launch proof: 35 of 35 launches proven
// FINE: Stats: 0 reports
#include <cstring>

__global__ void scale(float *numbers, const float *by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    // scale: ERROR: AddressSanitizer: heap-buffer-overflow
    // scale-NEXT: READ of size 4
    // scale-NEXT: #0 scale(float*, float const*, int) {{.*}}unrolled.cu:[[#@LINE+1]]:
    numbers[i] *= by[i];
}

constexpr int kSide = 24;

__global__ void fill(float *to, const float *from, int width, int rows) {
  __shared__ float tile[kSide * kSide];
  int threads = blockDim.x * blockDim.y;
  for (int k = threadIdx.y * blockDim.x + threadIdx.x; k < kSide * kSide; k += threads) {
    int x = (int)(blockIdx.x * 16) - 4 + k % kSide, y = k / kSide;
    // tile: ERROR: AddressSanitizer: heap-buffer-overflow
    // tile-NEXT: READ of size 4
    // tile-NEXT: #0 fill(float*, float const*, int, int) {{.*}}unrolled.cu:[[#@LINE+1]]:
    tile[k] = x >= 0 && x < width && y < rows ? from[y * width + x] : 0;
  }
  __syncthreads();
  to[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x * 3];
}

__global__ void unpack(const unsigned *words, unsigned *numbers, int count, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    int bit = i * width, word = bit >> 5, shift = bit & 31;
    unsigned number = words[word] >> shift;
    if (shift + width > 32)
      // unpack: ERROR: AddressSanitizer: heap-buffer-overflow
      // unpack-NEXT: READ of size 4
      // unpack-NEXT: #0 unpack(unsigned int const*, unsigned int*, int, int) {{.*}}unrolled.cu:[[#@LINE+1]]:
      number |= words[word + 1] << (32 - shift);
    numbers[i] = number & ((1u << width) - 1);
  }
}

__global__ void spread(float *sums, const float *weights, int radius) {
  float sum = 0;
  int at = 0;
  for (int y = -radius; y <= radius; y++)
    for (int x = -radius; x <= radius; x++)
      // spread: ERROR: AddressSanitizer: heap-buffer-overflow
      // spread-NEXT: READ of size 4
      // spread-NEXT: #0 spread(float*, float const*, int) {{.*}}unrolled.cu:[[#@LINE+1]]:
      sum += weights[at++] * (threadIdx.x + x);
  sums[threadIdx.x] = sum;
}

__device__ int first_window(int x, int size, int stride) {
  return x < size ? 0 : (x - size) / stride + 1;
}

__global__ void gather(float *sums, const float *windows, int width, int height, int size, int stride, int columns,
                       int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height)
    return;
  int x = i % width, y = i / width;
  int end = min(x / stride + 1, columns), last = min(y / stride + 1, rows);
  float sum = 0;
  for (int row = first_window(y, size, stride); row < last; row++)
    for (int column = first_window(x, size, stride); column < end; column++)
      // gather: ERROR: AddressSanitizer: heap-buffer-overflow
      // gather-NEXT: READ of size 4
      // gather-NEXT: #0 gather(float*, float const*, int, int, int, int, int, int) {{.*}}unrolled.cu:[[#@LINE+1]]:
      sum += windows[(((y - row * stride) * size + x - column * stride) * rows + row) * columns + column];
  sums[i] = sum;
}

template <typename T>
T *array(size_t count) {
  T *result = nullptr;
  cudaMalloc(&result, count * sizeof(T));
  cudaMemset(result, 0, count * sizeof(T));
  return result;
}

int main(int argc, char **argv) {
  auto is = [&](const char *name) { return argc > 1 && !strcmp(argv[1], name); };
  for (int n : {1, 3, 63, 64, 200, 257, 1000}) {
    scale<<<2, 32>>>(array<float>(n), array<float>(n - (is("scale") && n > 200)), n);
    int width = 20 + n % 9, rows = 1 + n % 13;
    fill<<<2, dim3(16, n % 4 + 1)>>>(array<float>(32), array<float>(width * rows - (is("tile") && rows > 5)), width,
                                     rows);
    int words = (n * 13 + 31) / 32;
    unpack<<<3, 32>>>(array<unsigned>(words - (is("unpack") && n > 100)), array<unsigned>(n), n, 13);
    int radius = n % 6;
    spread<<<1, 8>>>(array<float>(8), array<float>((2 * radius + 1) * (2 * radius + 1) - is("spread")), radius);
    int size = 3 + n % 7, stride = 1 + n % 3, side = 12 + n % 5, windows = (side - size) / stride + 1;
    gather<<<5, 64>>>(array<float>(side * side), array<float>(size * size * windows * windows - is("gather")), side,
                      side, size, stride, windows, windows);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
