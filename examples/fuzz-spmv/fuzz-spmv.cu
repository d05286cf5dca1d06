// Fuzzes a reader of Matrix Market files together with the kernel that uses its matrix.
//   gasan-clang++ -fsanitize=fuzzer,gpu-address -g -O2 fuzz-spmv.cu -o fuzz-spmv
//   ./fuzz-spmv                finds a matrix with a column that is out of range, and writes it to a file crash-...
//   ./fuzz-spmv crash-...      reports the same bug again
#include "matrix_market.h"

#include <cstdint>
#include <vector>

// y = A x for a matrix A whose entries are 1.
__global__ void multiply(int rows, const int *row_start, const int *column, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i)
    sum += x[column[i]]; // column[i] comes from the file
  y[row] = sum;
}

template <typename T>
static T *to_device(const std::vector<T> &host) {
  T *device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = reinterpret_cast<const char *>(data);
  CsrMatrix matrix;
  if (!read_matrix_market({text, text + size}, matrix))
    return 0;
  int *row_start = to_device(matrix.row_start), *column = to_device(matrix.column);
  float *x = to_device(std::vector<float>(matrix.columns, 1.0f)), *y;
  cudaMalloc(&y, matrix.rows * sizeof(float));
  const int threads = 32;
  multiply<<<(matrix.rows + threads - 1) / threads, threads>>>(matrix.rows, row_start, column, x, y);
  for (void *memory : {(void *)row_start, (void *)column, (void *)x, (void *)y})
    cudaFree(memory);
  return 0;
}
