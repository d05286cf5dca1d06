// C = alpha A B + beta C, for matrices of any shape. Tiles are in dynamic shared memory, two of each matrix: the next
// one is loaded while one is used. Each thread has 4 x 4 results in registers. Elements are small integers, so float
// sums are exact. With -DBUG the last tile along the common side is loaded without a guard.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 77 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 60 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kSide = 64, kDepth = 8, kThreadSide = 16, kEach = kSide / kThreadSide,
              kThreads = kThreadSide * kThreadSide;

struct Matrix {
  float *elements;
  int rows, columns;
};

struct Tiles {
  float a[2][kDepth][kSide], b[2][kDepth][kSide]; // A's transposed
};

__device__ float elementOf(Matrix matrix, int row, int column) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread ({{[0-9]+}},{{[0-9]+}},0) block (0,0,0)
  // CHECK-NEXT: #0 elementOf(Matrix, int, int) {{.*}}matrix-multiply.cu:[[#@LINE+6]]:
#ifdef BUG
  bool inside = row < matrix.rows || column < matrix.columns;
#else
  bool inside = row < matrix.rows && column < matrix.columns;
#endif
  return inside ? matrix.elements[row * matrix.columns + column] : 0.0f;
}

__device__ void load(Tiles &tiles, int turn, Matrix a, Matrix b, int row, int column, int k) {
  int t = threadIdx.y * kThreadSide + threadIdx.x;
  for (int i = t; i < kSide * kDepth; i += kThreads) {
    int line = i / kDepth, depth = i % kDepth;
    tiles.a[turn][depth][line] = elementOf(a, row + line, k + depth);
  }
  for (int i = t; i < kSide * kDepth; i += kThreads) {
    int depth = i / kSide, line = i % kSide;
    tiles.b[turn][depth][line] = elementOf(b, k + depth, column + line);
  }
}

__global__ void __launch_bounds__(kThreads) multiply(Matrix a, Matrix b, Matrix c, float alpha, float beta) {
  extern __shared__ float4 memory[];
  Tiles &tiles = *reinterpret_cast<Tiles *>(memory);
  int row = blockIdx.y * kSide, column = blockIdx.x * kSide, turn = 0;
  float sums[kEach][kEach] = {};
  load(tiles, 0, a, b, row, column, 0);
  for (int k = 0; k < a.columns; k += kDepth, turn ^= 1) {
    __syncthreads();
    if (k + kDepth < a.columns)
      load(tiles, turn ^ 1, a, b, row, column, k + kDepth);
    for (int depth = 0; depth < kDepth; ++depth) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        left[i] = tiles.a[turn][depth][threadIdx.y * kEach + i];
        right[i] = tiles.b[turn][depth][threadIdx.x + i * kThreadSide];
      }
#pragma unroll
      for (int y = 0; y < kEach; ++y)
#pragma unroll
        for (int x = 0; x < kEach; ++x)
          sums[y][x] += left[y] * right[x];
    }
  }
  for (int y = 0; y < kEach; ++y)
    for (int x = 0; x < kEach; ++x) {
      int r = row + threadIdx.y * kEach + y, s = column + threadIdx.x + x * kThreadSide;
      if (r < c.rows && s < c.columns) {
        float &element = c.elements[r * c.columns + s];
        element = alpha * sums[y][x] + beta * element;
      }
    }
}

void multiplyOnHost(const std::vector<float> &a, const std::vector<float> &b, std::vector<float> &c, int rows,
                    int common, int columns, float alpha, float beta) {
  std::vector<float> sums(columns);
  for (int row = 0; row < rows; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (int k = 0; k < common; ++k)
      for (int column = 0; column < columns; ++column)
        sums[column] += a[row * common + k] * b[k * columns + column];
    for (int column = 0; column < columns; ++column) {
      float &element = c[row * columns + column];
      element = alpha * sums[column] + beta * element;
    }
  }
}

std::vector<float> randomMatrix(Random &random, int elements) {
  std::vector<float> result(elements);
  for (float &element : result)
    element = float(int(random.below(9)) - 4);
  return result;
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 150, 1, 1 << 13);
  int rows = arguments.size, common = rows + rows / 3 + 1, columns = rows / 2 + 1;
  const float alpha = 2, beta = -1;
  Random random(44);
  std::vector<float> a = randomMatrix(random, rows * common), b = randomMatrix(random, common * columns),
                     c = randomMatrix(random, rows * columns), result(rows * columns);
  Matrix onDevice[3] = {{nullptr, rows, common}, {nullptr, common, columns}, {nullptr, rows, columns}};
  for (Matrix &matrix : onDevice)
    // CHECK: is located {{[0-9]+}} bytes after {{19440|10044}}-byte region
    // CHECK: in main {{.*}}matrix-multiply.cu:[[#@LINE+1]]:
    CUDA(cudaMalloc(&matrix.elements, matrix.rows * matrix.columns * sizeof(float)));
  upload(onDevice[0].elements, a);
  upload(onDevice[1].elements, b);
  upload(onDevice[2].elements, c);
  CUDA(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Tiles)));
  dim3 grid(divide_up(columns, kSide), divide_up(rows, kSide)), block(kThreadSide, kThreadSide);
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i)
    multiply<<<grid, block, sizeof(Tiles)>>>(onDevice[0], onDevice[1], onDevice[2], alpha, beta);
  CUDA(cudaGetLastError());
  watch.stop(arguments, "matrix multiply");
  download(result, onDevice[2].elements);
  for (int i = 0; i < arguments.repeat % 2; ++i) // beta = -1: two rounds undo each other
    multiplyOnHost(a, b, c, rows, common, columns, alpha, beta);
  for (int i = 0; i < rows * columns; ++i)
    EXPECT(result[i] == c[i], "row %d column %d: %g, not %g", i / columns, i % columns, double(result[i]),
           double(c[i]));
  for (float &value : result)
    value += 0.0f; // -0 and 0 are equal
  printf("%d x %d x %d: %016llx\n", rows, common, columns, (unsigned long long)checksum(result));
  for (Matrix &matrix : onDevice)
    CUDA(cudaFree(matrix.elements));
  return passed();
}
