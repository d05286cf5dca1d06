/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The patches of an image that a convolution multiplies with its weights, copied into the columns of a matrix.
// The program stands for one index that is divided by several arguments, one after the other.
#include "../program.h"

struct Convolution {
  int channels, width, height;
  int kernel, stride, padding;
};

__host__ __device__ int output_size(int size, Convolution of) {
  return (size + 2 * of.padding - of.kernel) / of.stride + 1;
}

// The matrix has a row for each channel and place of the kernel, and a column for each place of the output.
__global__ void copy_patches(const float *image, float *matrix, int total, Convolution of, int out_width,
                             int out_height) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
    int out_x = i % out_width;
    int rest = i / out_width;
    int out_y = rest % out_height;
    rest /= out_height;
    int kernel_x = rest % of.kernel;
    rest /= of.kernel;
    int kernel_y = rest % of.kernel;
    int channel = rest / of.kernel;
    int x = out_x * of.stride - of.padding + kernel_x;
    int y = out_y * of.stride - of.padding + kernel_y;
    float value = 0;
    if (x >= 0 && y >= 0 && x < of.width && y < of.height)
      value = image[(channel * of.height + y) * of.width + x];
    matrix[i] = value;
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Convolution of = {int(program.size(3, 64)), int(program.size(30, 500)), int(program.size(21, 400)), 3, 1, 1};
  if (!program.full)
    of.kernel = 5, of.stride = 2, of.padding = 2;
  int out_width = output_size(of.width, of), out_height = output_size(of.height, of);
  int total = of.channels * of.kernel * of.kernel * out_width * out_height;
  float *image = program.allocate_made<float>(size_t(of.channels) * of.width * of.height, MakeUnits{0});
  float *matrix = program.allocate<float>(total);
  unsigned blocks = std::min(divide_up(total, 256), 65535u);
  program.time([&] { copy_patches<<<blocks, 256>>>(image, matrix, total, of, out_width, out_height); });
  auto check = [&](size_t i) {
    size_t row = i / (size_t(out_width) * out_height), channel = row / (of.kernel * of.kernel);
    int x = int(i % out_width) * of.stride - of.padding + int(row % of.kernel);
    int y = int(i / out_width % out_height) * of.stride - of.padding + int(row / of.kernel % of.kernel);
    bool inside = x >= 0 && x < of.width && y >= 0 && y < of.height;
    return fetch(matrix + i) == (inside ? unit(0, (channel * of.height + y) * of.width + x) : 0);
  };
  return program.finish(program.verify(total, check));
}
