/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gaussian elimination of a system of linear equations: for each column k a launch for factors and one for rows.
// The program stands for grids over a whole matrix in which guards leave the threads with i > k.
#include "../program.h"

__global__ void find_factors(const float *matrix, float *factors, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= k || i >= n)
    return;
  factors[i] = matrix[n * i + k] / matrix[n * k + k];
}

__global__ void eliminate(float *matrix, float *right, const float *factors, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  if (i > k && j >= k) {
    matrix[n * i + j] -= factors[i] * matrix[n * k + j];
    if (j == k)
      right[i] -= factors[i] * right[k];
  }
}

struct MakeMatrix {
  int n;
  __host__ __device__ float operator()(size_t i) const { return unit(0, i) + (i / n == i % n ? n : 0); }
};

// Solves the system that elimination leaves, from the last row to the first.
static std::vector<double> solve_triangle(const std::vector<float> &matrix, const std::vector<float> &right, int n) {
  std::vector<double> x(n);
  for (int i = n - 1; i >= 0; i--) {
    double rest = right[i];
    for (int j = i + 1; j < n; j++)
      rest -= matrix[size_t(i) * n + j] * x[j];
    x[i] = rest / matrix[size_t(i) * n + i];
  }
  return x;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int n = program.size(40, 5100);
  size_t count = size_t(n) * n;
  MakeMatrix make = {n};
  float *matrix = program.allocate<float>(count), *right = program.allocate<float>(n);
  float *factors = program.allocate<float>(n);
  dim3 block(32, 8), blocks(divide_up(n, block.x), divide_up(n, block.y));
  program.time(
      [&] {
        Program::fill(matrix, count, make);
        Program::fill(right, n, MakeUnits{1});
      },
      [&] {
        for (int k = 0; k < n - 1; k++) {
          find_factors<<<divide_up(n, 128), 128>>>(matrix, factors, n, k);
          eliminate<<<blocks, block>>>(matrix, right, factors, n, k);
        }
      });
  std::vector<double> x = solve_triangle(copy_back(matrix, count), copy_back(right, n), n);
  auto check = [&](size_t i) {
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += make(i * n + j) * x[j];
    return is_close(sum, unit(1, i), 1e-3);
  };
  return program.finish(program.verify(n, check, n));
}
