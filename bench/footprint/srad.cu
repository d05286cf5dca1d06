/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One step of speckle-reducing diffusion on an n x n image as Rodinia's srad_v1: tables of neighbours, sums by blocks,
// coefficients and four derivatives in arrays of their own.
#include "footprint.h"

constexpr int kThreads = 512;
constexpr float kLambda = 0.5f;

struct MakePixel {
  __host__ __device__ float operator()(size_t i) const { return 1 + scrambled_unit(i); }
};

__global__ void sum_blocks(const float *image, double *sums, double *squares, size_t count) {
  __shared__ double sum[kThreads], square[kThreads];
  int t = threadIdx.x;
  size_t i = blockIdx.x * size_t(kThreads) + t;
  double value = i < count ? image[i] : 0;
  sum[t] = value, square[t] = value * value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half)
      sum[t] += sum[t + half], square[t] += square[t + half];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = sum[0], squares[blockIdx.x] = square[0];
}

struct Image {
  float *pixels, *north, *south, *west, *east, *coefficient;
  int *row_above, *row_below, *column_before, *column_after;
  int n;
};

__host__ __device__ inline float coefficient(float here, float n, float s, float w, float e, float variance) {
  float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplacian = (n + s + w + e) / here;
  float q = (0.5f * gradient - laplacian * laplacian / 16) / ((1 + 0.25f * laplacian) * (1 + 0.25f * laplacian));
  float c = 1 / (1 + (q - variance) / (variance * (1 + variance)));
  return c < 0 ? 0 : c > 1 ? 1 : c;
}

__global__ void differentiate(Image image, float variance) {
  size_t i = blockIdx.x * size_t(kThreads) + threadIdx.x, n = image.n;
  if (i >= n * n)
    return;
  size_t row = i / n, column = i % n;
  float here = image.pixels[i];
  float north = image.north[i] = image.pixels[image.row_above[row] * n + column] - here;
  float south = image.south[i] = image.pixels[image.row_below[row] * n + column] - here;
  float west = image.west[i] = image.pixels[row * n + image.column_before[column]] - here;
  float east = image.east[i] = image.pixels[row * n + image.column_after[column]] - here;
  image.coefficient[i] = coefficient(here, north, south, west, east, variance);
}

__global__ void diffuse(Image image) {
  size_t i = blockIdx.x * size_t(kThreads) + threadIdx.x, n = image.n;
  if (i >= n * n)
    return;
  size_t row = i / n, column = i % n;
  float here = image.coefficient[i], south = image.coefficient[image.row_below[row] * n + column];
  float east = image.coefficient[row * n + image.column_after[column]];
  image.pixels[i] +=
      0.25f * kLambda * (here * (image.north[i] + image.west[i]) + south * image.south[i] + east * image.east[i]);
}

struct Expected {
  int n;
  float variance;
  double pixel(int x, int y) const {
    return MakePixel()(size_t(std::min(std::max(y, 0), n - 1)) * n + std::min(std::max(x, 0), n - 1));
  }
  double coefficient_at(int x, int y) const {
    x = std::min(x, n - 1), y = std::min(y, n - 1);
    double here = pixel(x, y);
    return coefficient(here, pixel(x, y - 1) - here, pixel(x, y + 1) - here, pixel(x - 1, y) - here,
                       pixel(x + 1, y) - here, variance);
  }
  double result(int x, int y) const {
    double here = pixel(x, y), around = coefficient_at(x, y) * (pixel(x, y - 1) - here + pixel(x - 1, y) - here);
    return here + 0.25 * kLambda *
                      (around + coefficient_at(x, y + 1) * (pixel(x, y + 1) - here) +
                       coefficient_at(x + 1, y) * (pixel(x + 1, y) - here));
  }
};

static double sum(const double *device, size_t count) {
  std::vector<double> host(count);
  REQUIRE(cudaMemcpy(host.data(), device, count * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (double part : host)
    sum += part;
  return sum;
}

int main(int argc, char **argv) {
  Footprint run("srad", argc, argv, 40, 480, 4096);
  int n = run.n;
  size_t count = size_t(n) * n;
  unsigned blocks = divide_up(count, kThreads);
  auto before = [] __host__ __device__(size_t i) { return i == 0 ? 0 : int(i) - 1; };
  auto after = [n] __host__ __device__(size_t i) { return int(i) + 1 == n ? int(i) : int(i) + 1; };
  Image image = {run.allocate_made<float>(count, MakePixel())};
  image.row_above = run.allocate_made<int>(n, before);
  image.row_below = run.allocate_made<int>(n, after);
  image.column_before = run.allocate_made<int>(n, before);
  image.column_after = run.allocate_made<int>(n, after);
  double *sums = run.allocate<double>(blocks), *squares = run.allocate<double>(blocks);
  for (float **array : {&image.north, &image.south, &image.west, &image.east, &image.coefficient})
    *array = run.allocate<float>(count);
  image.n = n;
  sum_blocks<<<blocks, kThreads>>>(image.pixels, sums, squares, count);
  run.launched();
  double mean = sum(sums, blocks) / count, square = sum(squares, blocks) / count;
  float variance = float((square - mean * mean) / (mean * mean));
  differentiate<<<blocks, kThreads>>>(image, variance);
  diffuse<<<blocks, kThreads>>>(image);
  run.launched();
  // Uniform from 1 to 2: mean 3/2, mean square 7/3.
  double tolerance = 4 / sqrt(double(count));
  bool right = fabs(mean - 1.5) <= tolerance && fabs(square - 7.0 / 3) <= 3 * tolerance;
  return run.finish(right && holds_for_samples(count, [&](size_t i) {
                      return fabs(fetch(image.pixels + i) - Expected{n, variance}.result(int(i % n), int(i / n))) <=
                             1e-4;
                    }));
}
