/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The correlation of every two columns (as Polybench's): mean, deviation, normalising, products.
#include "../program.h"

__global__ void find_mean(const float *data, float *mean, int columns, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns)
    return;
  float sum = 0;
  for (int row = 0; row < rows; row++)
    sum += data[row * columns + column];
  mean[column] = sum / rows;
}

__global__ void find_deviation(const float *data, const float *mean, float *deviation, int columns, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns)
    return;
  float sum = 0;
  for (int row = 0; row < rows; row++) {
    float difference = data[row * columns + column] - mean[column];
    sum += difference * difference;
  }
  deviation[column] = sqrtf(sum);
}

__global__ void normalise(float *data, const float *mean, const float *deviation, int columns, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < columns && row < rows)
    data[row * columns + column] = (data[row * columns + column] - mean[column]) / deviation[column];
}

__global__ void correlate(const float *data, float *result, int columns, int rows) {
  int right = blockIdx.x * blockDim.x + threadIdx.x, left = blockIdx.y * blockDim.y + threadIdx.y;
  if (right >= columns || left > right)
    return;
  float sum = 0;
  for (int row = 0; row < rows; row++)
    sum += data[row * columns + left] * data[row * columns + right];
  result[left * columns + right] = result[right * columns + left] = sum;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int columns = program.size(40, 2048), rows = program.size(50, 20000);
  size_t count = size_t(columns) * rows, pairs = size_t(columns) * columns;
  float *data = program.allocate<float>(count), *result = program.allocate<float>(pairs);
  float *mean = program.allocate<float>(columns), *deviation = program.allocate<float>(columns);
  dim3 block(32, 8);
  program.time([&] { Program::fill(data, count, MakeUnits{0}); },
               [&] {
                 find_mean<<<divide_up(columns, 64), 64>>>(data, mean, columns, rows);
                 find_deviation<<<divide_up(columns, 64), 64>>>(data, mean, deviation, columns, rows);
                 normalise<<<dim3(divide_up(columns, 32), divide_up(rows, 8)), block>>>(data, mean, deviation, columns,
                                                                                        rows);
                 correlate<<<dim3(divide_up(columns, 32), divide_up(columns, 8)), block>>>(data, result, columns, rows);
               });
  auto check = [&](size_t i) {
    size_t left = i / columns, right = i % columns;
    double sum_left = 0, sum_right = 0, left_left = 0, right_right = 0, left_right = 0;
    for (int row = 0; row < rows; row++) {
      double a = unit(0, size_t(row) * columns + left), b = unit(0, size_t(row) * columns + right);
      sum_left += a, sum_right += b, left_left += a * a, right_right += b * b, left_right += a * b;
    }
    double covariance = left_right - sum_left * sum_right / rows;
    double wanted =
        covariance / sqrt((left_left - sum_left * sum_left / rows) * (right_right - sum_right * sum_right / rows));
    return fabs(fetch(result + i) - wanted) < 1e-3;
  };
  return program.finish(program.verify(pairs, check, rows));
}
