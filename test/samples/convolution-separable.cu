// Filters an image, first rows, then columns, through tiles with halos in shared memory. Weights are in constant
// memory, and cells beyond the image count as zero. Pixels and weights are small integers, so that float sums are
// exact. With -DBUG the pass over columns loads the halo below the last tile without a guard.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 65 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 3 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 64 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kRadius = 5, kRowsX = 32, kRowsY = 4, kColumnsX = 16, kColumnsY = 16;
__constant__ float weights[2 * kRadius + 1];

__global__ void filterRows(float *out, const float *in, int width, int height) {
  __shared__ float tile[kRowsY][kRowsX + 2 * kRadius];
  int x = blockIdx.x * kRowsX + threadIdx.x, y = blockIdx.y * kRowsY + threadIdx.y;
  for (int tx = threadIdx.x; tx < kRowsX + 2 * kRadius; tx += kRowsX) {
    int from = int(blockIdx.x) * kRowsX - kRadius + tx;
    tile[threadIdx.y][tx] = from >= 0 && from < width && y < height ? in[y * width + from] : 0.0f;
  }
  __syncthreads();
  if (x >= width || y >= height)
    return;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k)
    sum += weights[k + kRadius] * tile[threadIdx.y][threadIdx.x + kRadius + k];
  out[y * width + x] = sum;
}

__global__ void filterColumns(float *out, const float *in, int width, int height) {
  __shared__ float tile[kColumnsY + 2 * kRadius][kColumnsX + 1]; // one more column avoids bank conflicts
  int x = blockIdx.x * kColumnsX + threadIdx.x, y = blockIdx.y * kColumnsY + threadIdx.y;
  for (int ty = threadIdx.y; ty < kColumnsY + 2 * kRadius; ty += kColumnsY) {
    int from = int(blockIdx.y) * kColumnsY - kRadius + ty;
#ifdef BUG
    bool inside = from >= 0 && x < width;
#else
    bool inside = from >= 0 && from < height && x < width;
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,5,0) block (0,2,0) lane 16 (and 319 more
    // CHECK-NEXT: #0 filterColumns(float*, float const*, int, int) {{.*}}convolution-separable.cu:[[#@LINE+1]]:
    tile[ty][threadIdx.x] = inside ? in[from * width + x] : 0.0f;
  }
  __syncthreads();
  if (x >= width || y >= height)
    return;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k)
    sum += weights[k + kRadius] * tile[threadIdx.y + kRadius + k][threadIdx.x];
  out[y * width + x] = sum;
}

std::vector<float> filterOnHost(const std::vector<float> &in, int width, int height, const float *factors) {
  std::vector<float> rows(in.size()), out(in.size());
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<float> &from = pass ? rows : in;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        float sum = 0;
        for (int k = -kRadius; k <= kRadius; ++k) {
          int fx = pass ? x : x + k, fy = pass ? y + k : y;
          if (fx >= 0 && fx < width && fy >= 0 && fy < height)
            sum += factors[k + kRadius] * from[fy * width + fx];
        }
        (pass ? out : rows)[y * width + x] = sum;
      }
  }
  return out;
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 250, 1, 1 << 13);
  int width = arguments.size, height = divide_up(arguments.size * 3, 4), pixels = width * height;
  // Magnitudes are at most 25 * 25 * 255, far below 2^24.
  const float factors[2 * kRadius + 1] = {1, -2, 3, 1, 2, 5, 2, 3, -1, 2, 3};
  CUDA(cudaMemcpyToSymbol(weights, factors, sizeof factors));
  Random random(71);
  std::vector<float> image(pixels), result(pixels);
  for (float &pixel : image)
    pixel = float(random.below(256));
  float *in, *between, *out;
  CUDA(cudaMalloc(&in, pixels * sizeof(float)));
  // CHECK: is located 0 bytes after 12288-byte region
  // CHECK: in main {{.*}}convolution-separable.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&between, pixels * sizeof(float)));
  CUDA(cudaMalloc(&out, pixels * sizeof(float)));
  upload(in, image);
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i) {
    filterRows<<<dim3(divide_up(width, kRowsX), divide_up(height, kRowsY)), dim3(kRowsX, kRowsY)>>>(between, in, width,
                                                                                                    height);
    filterColumns<<<dim3(divide_up(width, kColumnsX), divide_up(height, kColumnsY)), dim3(kColumnsX, kColumnsY)>>>(
        out, between, width, height);
  }
  CUDA(cudaGetLastError());
  watch.stop(arguments, "convolution");
  download(result, out);
  std::vector<float> expected = filterOnHost(image, width, height, factors);
  for (int i = 0; i < pixels; ++i)
    EXPECT(result[i] == expected[i], "pixel (%d, %d): %g, not %g", i % width, i / width, double(result[i]),
           double(expected[i]));
  for (float &value : result)
    value += 0.0f; // -0 and 0 are equal
  printf("%d x %d pixels: %016llx\n", width, height, (unsigned long long)checksum(result));
  CUDA(cudaFree(in));
  CUDA(cudaFree(between));
  CUDA(cudaFree(out));
  return passed();
}
