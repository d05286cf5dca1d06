// LU decomposition without pivoting, in blocks: the diagonal block, the perimeter (a row and a column of blocks), the
// rest. The matrix is a product of factors of small integers with powers of two on the diagonal, so every step is exact
// in float. With -DBUG the perimeter's launch also counts the diagonal block.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 16 2>&1 | %same.1
// RUN: %run %t --size 80 --repeat 2 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 64 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kBlock = 16;

__global__ void diagonal(float *matrix, int n, int offset) {
  __shared__ float tile[kBlock][kBlock + 1];
  int t = threadIdx.x;
  float *corner = matrix + size_t(offset) * n + offset;
  for (int row = 0; row < kBlock; ++row)
    tile[row][t] = corner[row * n + t];
  __syncthreads();
  for (int k = 0; k < kBlock - 1; ++k) {
    if (t > k) {
      tile[t][k] /= tile[k][k];
      for (int column = k + 1; column < kBlock; ++column)
        tile[t][column] -= tile[t][k] * tile[k][column];
    }
    __syncthreads();
  }
  for (int row = 1; row < kBlock; ++row)
    corner[row * n + t] = tile[row][t];
}

// Each block has one tile right of the diagonal block and one tile below it. Half of its threads work on each.
__global__ void perimeter(float *matrix, int n, int offset) {
  __shared__ float corner[kBlock][kBlock + 1], right[kBlock][kBlock + 1], below[kBlock][kBlock + 1];
  int half = threadIdx.x / kBlock, t = threadIdx.x % kBlock;
  int other = offset + (blockIdx.x + 1) * kBlock;
  for (int row = half; row < kBlock; row += 2) {
    corner[row][t] = matrix[size_t(offset + row) * n + offset + t];
    right[row][t] = matrix[size_t(offset + row) * n + other + t];
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (3,0,0) lane 0 (and 31 more
    // CHECK-NEXT: #0 perimeter(float*, int, int) {{.*}}lu-decomposition.cu:[[#@LINE+1]]:
    below[row][t] = matrix[size_t(other + row) * n + offset + t];
  }
  __syncthreads();
  if (half == 0) { // a column of the row's tile: L is known, solve for U
    for (int row = 1; row < kBlock; ++row)
      for (int k = 0; k < row; ++k)
        right[row][t] -= corner[row][k] * right[k][t];
  } else { // a row of the column's tile: U is known, solve for L
    for (int column = 0; column < kBlock; ++column) {
      for (int k = 0; k < column; ++k)
        below[t][column] -= below[t][k] * corner[k][column];
      below[t][column] /= corner[column][column];
    }
  }
  __syncthreads();
  for (int row = half; row < kBlock; row += 2) {
    matrix[size_t(offset + row) * n + other + t] = right[row][t];
    matrix[size_t(other + row) * n + offset + t] = below[row][t];
  }
}

__global__ void interior(float *matrix, int n, int offset) {
  __shared__ float left[kBlock][kBlock], upper[kBlock][kBlock];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = offset + (blockIdx.y + 1) * kBlock + ty, column = offset + (blockIdx.x + 1) * kBlock + tx;
  left[ty][tx] = matrix[size_t(row) * n + offset + tx];
  upper[ty][tx] = matrix[size_t(offset + ty) * n + column];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < kBlock; ++k)
    sum += left[ty][k] * upper[k][tx];
  matrix[size_t(row) * n + column] -= sum;
}

void decompose(float *matrix, int n) {
  for (int offset = 0; offset < n; offset += kBlock) {
    diagonal<<<1, kBlock>>>(matrix, n, offset);
    int rest = (n - offset) / kBlock - 1;
#ifdef BUG
    perimeter<<<rest + 1, 2 * kBlock>>>(matrix, n, offset);
#else
    if (rest > 0)
      perimeter<<<rest, 2 * kBlock>>>(matrix, n, offset);
#endif
    if (rest > 0)
      interior<<<dim3(rest, rest), dim3(kBlock, kBlock)>>>(matrix, n, offset);
    CUDA(cudaGetLastError());
  }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 192, kBlock, 1 << 13);
  int n = divide_up(arguments.size, kBlock) * kBlock;
  Random random(13);
  // One matrix has both factors, as the result does: L below the diagonal (with ones on it), U from the diagonal on.
  std::vector<float> factors(size_t(n) * n), product(size_t(n) * n), result(size_t(n) * n);
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      int value = int(random.below(5)) - 2;
      if (row == column)
        value = 1 << random.below(3);
      factors[size_t(row) * n + column] = float(random.below(2) ? value : -value);
    }
  for (int row = 0; row < n; ++row)
    for (int k = 0; k <= row; ++k) {
      float left = k == row ? 1 : factors[size_t(row) * n + k];
      for (int column = k; column < n; ++column)
        product[size_t(row) * n + column] += left * factors[size_t(k) * n + column];
    }
  float *matrix;
  // CHECK: is located 0 bytes after 16384-byte region
  // CHECK: in main {{.*}}lu-decomposition.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&matrix, product.size() * sizeof(float)));
  for (int i = 0; i < arguments.repeat; ++i) {
    upload(matrix, product);
    Stopwatch watch;
    decompose(matrix, n);
    watch.stop(arguments, "lu");
  }
  download(result, matrix);
  for (size_t i = 0; i < result.size(); ++i)
    EXPECT(result[i] == factors[i], "row %zu column %zu: %g, not %g", i / n, i % n, double(result[i]),
           double(factors[i]));
  for (float &value : result)
    value += 0.0f; // -0 and 0 are equal
  printf("%d x %d: %016llx\n", n, n, (unsigned long long)checksum(result));
  CUDA(cudaFree(matrix));
  return passed();
}
