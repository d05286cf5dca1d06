/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates an ordinary image-processing library: ten small kernels in one file. No kernel is slow to compile; the time
// is the sum of many.
#include <cuda_runtime.h>

#include <cstdint>

struct Image {
  uint8_t *pixels;
  int width, height;
  __device__ uint8_t at(int x, int y) const {
    return pixels[size_t(min(max(y, 0), height - 1)) * width + min(max(x, 0), width - 1)];
  }
  __device__ uint8_t &out(int x, int y) const { return pixels[size_t(y) * width + x]; }
};

// Declares the pixel x, y of this thread. Returns if the pixel is outside the image.
#define THIS_PIXEL(IMAGE)                                                                                              \
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                      \
  if (x >= (IMAGE).width || y >= (IMAGE).height)                                                                       \
  return

__global__ void blur(Image from, Image to) {
  THIS_PIXEL(to);
  int sum = 8;
  for (int i = 0; i < 9; ++i)
    sum += (2 - abs(i % 3 - 1)) * (2 - abs(i / 3 - 1)) * from.at(x + i % 3 - 1, y + i / 3 - 1);
  to.out(x, y) = uint8_t(sum / 16);
}

__global__ void sobel(Image from, Image to) {
  THIS_PIXEL(to);
  float gx = 0, gy = 0;
  for (int d = -1; d <= 1; ++d) {
    gx += (2 - abs(d)) * (from.at(x + 1, y + d) - from.at(x - 1, y + d));
    gy += (2 - abs(d)) * (from.at(x + d, y + 1) - from.at(x + d, y - 1));
  }
  to.out(x, y) = uint8_t(min(255.0f, hypotf(gx, gy)));
}

__global__ void median(Image from, Image to) {
  THIS_PIXEL(to);
  uint8_t p[9];
#pragma unroll
  for (int i = 0; i < 9; ++i)
    p[i] = from.at(x + i % 3 - 1, y + i / 3 - 1);
  constexpr uint8_t pairs[][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
                                  {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma unroll
  for (int i = 0; i < 19; ++i) {
    const uint8_t low = p[pairs[i][0]], high = p[pairs[i][1]];
    p[pairs[i][0]] = min(low, high);
    p[pairs[i][1]] = max(low, high);
  }
  to.out(x, y) = p[4];
}

// cumulative[v] is the number of pixels with a value of at most v.
__global__ void equalize(Image image, const unsigned *cumulative) {
  THIS_PIXEL(image);
  const float share = float(cumulative[image.out(x, y)]) / (float(image.width) * image.height);
  image.out(x, y) = uint8_t(min(255.0f, 255.0f * share + 0.5f));
}

__global__ void resize(Image from, Image to) {
  THIS_PIXEL(to);
  const float sx = (x + 0.5f) * from.width / to.width - 0.5f, sy = (y + 0.5f) * from.height / to.height - 0.5f;
  const int left = int(floorf(sx)), top = int(floorf(sy));
  const float fx = sx - left, fy = sy - top;
  const float upper = from.at(left, top) * (1 - fx) + from.at(left + 1, top) * fx;
  const float lower = from.at(left, top + 1) * (1 - fx) + from.at(left + 1, top + 1) * fx;
  to.out(x, y) = uint8_t(upper * (1 - fy) + lower * fy + 0.5f);
}

__global__ void threshold(Image image, uint8_t limit) {
  THIS_PIXEL(image);
  image.out(x, y) = image.out(x, y) > limit ? 255 : 0;
}

__global__ void to_grey(const uchar3 *colours, Image to) {
  THIS_PIXEL(to);
  const uchar3 c = colours[size_t(y) * to.width + x];
  to.out(x, y) = uint8_t(0.299f * c.x + 0.587f * c.y + 0.114f * c.z + 0.5f);
}

__global__ void erode(Image from, Image to) {
  THIS_PIXEL(to);
  int lowest = 255;
  for (int i = 0; i < 9; ++i)
    lowest = min(lowest, int(from.at(x + i % 3 - 1, y + i / 3 - 1)));
  to.out(x, y) = uint8_t(lowest);
}

// One thread sums a row of the integral image.
__global__ void integrate_rows(Image from, unsigned *sums) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int x = 0; y < from.height && x < from.width; ++x)
    sums[size_t(y) * from.width + x] = sum += from.out(x, y);
}

__global__ void flip(Image from, Image to) {
  THIS_PIXEL(to);
  to.out(x, y) = from.at(to.width - 1 - x, y);
}

// Finds the edges of a colour image. small is at most as large as the other images, which have the same size.
cudaError_t find_edges(const uchar3 *colours, Image a, Image b, Image small, unsigned *sums,
                       const unsigned *cumulative) {
  const dim3 block(32, 8), grid((a.width + 31) / 32, (a.height + 7) / 8);
  to_grey<<<grid, block>>>(colours, a);
  equalize<<<grid, block>>>(a, cumulative);
  median<<<grid, block>>>(a, b);
  blur<<<grid, block>>>(b, a);
  sobel<<<grid, block>>>(a, b);
  threshold<<<grid, block>>>(b, 64);
  erode<<<grid, block>>>(b, a);
  flip<<<grid, block>>>(a, b);
  integrate_rows<<<(b.height + 63) / 64, 64>>>(b, sums);
  resize<<<grid, block>>>(b, small);
  return cudaGetLastError();
}
