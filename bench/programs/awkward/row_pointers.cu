/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Matrices as arrays of pointers to rows, inside a struct that the kernel gets by value: the sum of two.
#include "../program.h"

struct Matrix {
  float **rows;
  int width, height;
};

__global__ void add(Matrix a, Matrix b, Matrix out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = blockIdx.y; y < out.height; y += gridDim.y)
    if (x < out.width)
      out.rows[y][x] = a.rows[y][x] + b.rows[y][x];
}

struct Storage {
  float *data;
  Matrix matrix;
};

static Storage make_matrix(Program &program, float *data, int width, int height) {
  float **rows =
      program.allocate_made<float *>(height, [=] __host__ __device__(size_t row) { return data + row * width; });
  return {data, {rows, width, height}};
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int width = program.size(75, 8000), height = program.size(50, 8192);
  size_t count = size_t(width) * height;
  Storage a = make_matrix(program, program.allocate_made<float>(count, MakeUnits{0}), width, height);
  Storage b = make_matrix(program, program.allocate_made<float>(count, MakeUnits{1}), width, height);
  Storage out = make_matrix(program, program.allocate<float>(count), width, height);
  dim3 blocks(divide_up(width, 256), program.size(16, 2048));
  program.time([&] { add<<<blocks, 256>>>(a.matrix, b.matrix, out.matrix); });
  return program.finish(
      program.verify(count, [&](size_t i) { return fetch(out.data + i) == unit(0, i) + unit(1, i); }));
}
