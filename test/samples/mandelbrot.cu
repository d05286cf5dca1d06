// The Mandelbrot set in fixed point, on a pitched image. Blocks take tiles from a queue until it is empty, because the
// work for tiles differs. A second kernel counts the pixels by their number of iterations. Integers, so results are
// compared exactly. With -DBUG a tile at the lower edge draws one row too many.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 75 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 2 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 40 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kTileX = 32, kTileY = 8, kBlocks = 12, kMostIterations = 200;
constexpr int kFraction = 26; // bits

struct Frame {
  long long left, top, step; // fixed point
  int width, height;
};

// The product of two fixed-point numbers rounds towards minus infinity, on host and device.
__host__ __device__ long long times(long long a, long long b) {
  return a * b >> kFraction;
}

__host__ __device__ int iterationsAt(Frame frame, int x, int y) {
  long long cx = frame.left + x * frame.step, cy = frame.top + y * frame.step, zx = 0, zy = 0;
  int count = 0;
  for (; count < kMostIterations; ++count) {
    long long xx = times(zx, zx), yy = times(zy, zy);
    if (xx + yy > 4ll << kFraction)
      break;
    zy = 2 * times(zx, zy) + cy;
    zx = xx - yy + cx;
  }
  return count;
}

__device__ unsigned nextTile;

__global__ void draw(unsigned short *image, size_t pitch, Frame frame, int tilesX, int tiles) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0)
      tile = atomicAdd(&nextTile, 1u);
    __syncthreads();
    if (tile >= unsigned(tiles))
      return;
    int x = tile % tilesX * kTileX + threadIdx.x, y = tile / tilesX * kTileY + threadIdx.y;
    unsigned short *row = reinterpret_cast<unsigned short *>(reinterpret_cast<char *>(image) + y * pitch);
#ifdef BUG
    bool inside = x < frame.width && y <= frame.height;
#else
    bool inside = x < frame.width && y < frame.height;
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: WRITE of size 2 at {{0x[0-9a-f]+}} by device thread ({{[0-9]+}},7,0)
    // CHECK-NEXT: #0 draw(unsigned short*, unsigned long, Frame, int, int) {{.*}}mandelbrot.cu:[[#@LINE+2]]:
    if (inside)
      row[x] = (unsigned short)iterationsAt(frame, x, y);
    __syncthreads();
  }
}

__global__ void countIterations(const unsigned short *image, size_t pitch, int width, int height, unsigned *counts) {
  __shared__ unsigned local[kMostIterations + 1];
  int t = threadIdx.x;
  for (int i = t; i <= kMostIterations; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  const unsigned short *row =
      reinterpret_cast<const unsigned short *>(reinterpret_cast<const char *>(image) + blockIdx.x * pitch);
  for (int x = t; x < width; x += blockDim.x)
    atomicAdd(&local[row[x]], 1u);
  __syncthreads();
  for (int i = t; i <= kMostIterations; i += blockDim.x)
    if (local[i])
      atomicAdd(&counts[i], local[i]);
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 160, 2, 1 << 14);
  int width = arguments.size, height = arguments.size - arguments.size % kTileY - 1;
  if (height < 1)
    height = 1;
  const long long one = 1ll << kFraction;
  Frame frame = {-2 * one, -5 * one / 4, 5 * one / 2 / arguments.size, width, height};
  int tilesX = divide_up(width, kTileX), tiles = tilesX * divide_up(height, kTileY);
  unsigned short *image;
  unsigned *counts;
  size_t pitch;
  // CHECK: is located {{0|64}} bytes after {{[0-9]+}}-byte region
  // CHECK: in main {{.*}}mandelbrot.cu:[[#@LINE+1]]:
  CUDA(cudaMallocPitch(&image, &pitch, width * sizeof(unsigned short), height));
  CUDA(cudaMallocManaged(&counts, (kMostIterations + 1) * sizeof(unsigned)));
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i) {
    unsigned none = 0;
    CUDA(cudaMemcpyToSymbol(nextTile, &none, sizeof none));
    draw<<<kBlocks, dim3(kTileX, kTileY)>>>(image, pitch, frame, tilesX, tiles);
    CUDA(cudaGetLastError());
  }
  watch.stop(arguments, "mandelbrot");
  std::fill(counts, counts + kMostIterations + 1, 0u);
  countIterations<<<height, 64>>>(image, pitch, width, height, counts);
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());

  std::vector<unsigned short> result(size_t(width) * height);
  CUDA(cudaMemcpy2D(result.data(), width * sizeof(unsigned short), image, pitch, width * sizeof(unsigned short), height,
                    cudaMemcpyDeviceToHost));
  std::vector<unsigned> expected(kMostIterations + 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int iterations = iterationsAt(frame, x, y), found = result[size_t(y) * width + x];
      expected[iterations]++;
      EXPECT(found == iterations, "pixel (%d, %d): %d, not %d", x, y, found, iterations);
    }
  for (int i = 0; i <= kMostIterations; ++i)
    EXPECT(counts[i] == expected[i], "%d iterations: %u pixels, not %u", i, counts[i], expected[i]);
  printf("%d x %d pixels, %u inside: %016llx\n", width, height, counts[kMostIterations],
         (unsigned long long)checksum(result));
  CUDA(cudaFree(image));
  CUDA(cudaFree(counts));
  return passed();
}
