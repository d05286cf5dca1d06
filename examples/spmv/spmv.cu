// y = A x for a sparse matrix A in a Matrix Market file: one thread per row on the device, checked against the CPU.
//   spmv good.mtx    prints the sum of y
//   spmv bad.mtx     has a column index that is out of range: the kernel reads past the end of x
#include "matrix_market.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void multiply(int rows, const int *row_start, const int *column, const double *value, const double *x,
                         double *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  double sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i)
    sum += value[i] * x[column[i]]; // column[i] comes from the file
  y[row] = sum;
}

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "spmv: %s: %s\n", what, cudaGetErrorString(error));
  exit(2);
}

template <typename T>
static T *to_device(const std::vector<T> &host) {
  T *device;
  check(cudaMalloc(&device, host.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return device;
}

static std::vector<double> multiply_on_device(const CsrMatrix &matrix, const std::vector<double> &x) {
  int *row_start = to_device(matrix.row_start);
  int *column = to_device(matrix.column);
  double *value = to_device(matrix.value);
  double *device_x = to_device(x);
  double *device_y;
  check(cudaMalloc(&device_y, matrix.rows * sizeof(double)), "cudaMalloc");

  const int threads = 32;
  multiply<<<(matrix.rows + threads - 1) / threads, threads>>>(matrix.rows, row_start, column, value, device_x,
                                                               device_y);
  check(cudaGetLastError(), "launch");
  std::vector<double> y(matrix.rows);
  check(cudaMemcpy(y.data(), device_y, y.size() * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");

  for (void *pointer : {(void *)row_start, (void *)column, (void *)value, (void *)device_x, (void *)device_y})
    check(cudaFree(pointer), "cudaFree");
  return y;
}

static std::vector<double> multiply_on_host(const CsrMatrix &matrix, const std::vector<double> &x) {
  std::vector<double> y(matrix.rows, 0.0);
  for (int row = 0; row < matrix.rows; ++row)
    for (int i = matrix.row_start[row]; i < matrix.row_start[row + 1]; ++i)
      y[row] += matrix.value[i] * x[matrix.column[i]];
  return y;
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) {
    fprintf(stderr, "usage: spmv FILE.mtx\n");
    return 2;
  }
  CsrMatrix matrix;
  std::string problem = read_matrix_market(arguments[1], matrix);
  if (!problem.empty()) {
    fprintf(stderr, "spmv: %s: %s\n", arguments[1], problem.c_str());
    return 2;
  }
  std::vector<double> x(matrix.columns);
  for (int i = 0; i < matrix.columns; ++i)
    x[i] = 1.0 + 0.25 * (i % 7);

  std::vector<double> y = multiply_on_device(matrix, x);
  std::vector<double> expected = multiply_on_host(matrix, x);
  double sum = 0;
  for (int row = 0; row < matrix.rows; ++row) {
    sum += y[row];
    if (std::fabs(y[row] - expected[row]) > 1e-12 * (1 + std::fabs(expected[row]))) {
      fprintf(stderr, "spmv: row %d is %g, should be %g\n", row + 1, y[row], expected[row]);
      return 1;
    }
  }
  printf("%d x %d, %zu entries, sum of y = %.6f\n", matrix.rows, matrix.columns, matrix.value.size(), sum);
}
