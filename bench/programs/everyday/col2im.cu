/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The sums of a convolution's patches at each pixel, from a matrix of patches to an image.
// The program stands for gathers over a range of outputs, whose bounds are maxima and minima of divisions.
#include "../program.h"

struct Range {
  int begin, end;
};

// The outputs whose patches contain a pixel.
__host__ __device__ Range outputs_of(int pixel, int kernel, int stride, int padding, int outputs) {
  int from = pixel + padding;
  int begin = from < kernel ? 0 : (from - kernel) / stride + 1;
  int end = from / stride + 1;
  return {begin, end < outputs ? end : outputs};
}

__global__ void sum_patches(const float *matrix, float *image, int total, int width, int height, int kernel, int stride,
                            int padding, int out_width, int out_height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total)
    return;
  int x = i % width, y = i / width % height, channel = i / (width * height);
  Range columns = outputs_of(x, kernel, stride, padding, out_width);
  Range rows = outputs_of(y, kernel, stride, padding, out_height);
  float sum = 0;
  for (int row = rows.begin; row < rows.end; row++)
    for (int column = columns.begin; column < columns.end; column++) {
      int kernel_x = x + padding - column * stride, kernel_y = y + padding - row * stride;
      int from = (channel * kernel + kernel_y) * kernel + kernel_x;
      sum += matrix[(from * out_height + row) * out_width + column];
    }
  image[i] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int channels = program.size(3, 64), width = program.size(30, 500), height = program.size(21, 400);
  int kernel = program.size(5, 3), stride = program.size(2, 1), padding = program.size(2, 1);
  int out_width = (width + 2 * padding - kernel) / stride + 1,
      out_height = (height + 2 * padding - kernel) / stride + 1;
  int total = channels * width * height;
  size_t places = size_t(out_width) * out_height;
  float *matrix = program.allocate_made<float>(places * channels * kernel * kernel, MakeUnits{0});
  float *image = program.allocate<float>(total);
  program.time([&] {
    sum_patches<<<divide_up(total, 256), 256>>>(matrix, image, total, width, height, kernel, stride, padding, out_width,
                                                out_height);
  });
  auto check = [&](size_t i) {
    int x = i % width, y = i / width % height;
    size_t channel = i / (size_t(width) * height);
    double sum = 0;
    for (int kernel_y = 0; kernel_y < kernel; kernel_y++)
      for (int kernel_x = 0; kernel_x < kernel; kernel_x++) {
        int left = x + padding - kernel_x, top = y + padding - kernel_y;
        if (left < 0 || top < 0 || left % stride || top % stride)
          continue;
        if (left / stride < out_width && top / stride < out_height)
          sum += unit(0, ((channel * kernel + kernel_y) * kernel + kernel_x) * places +
                             size_t(top / stride) * out_width + left / stride);
      }
    return is_close(fetch(image + i), sum);
  };
  return program.finish(program.verify(total, check, kernel * kernel));
}
