// Conjugate gradients on a sparse matrix in compressed rows (a five-point Laplacian). One cooperative kernel contains
// the whole solver: grid-wide barriers between products, dot products by tiles and atomics. Double precision.
// Tolerance: the true residual, computed by the host, is at most 1e-9 of the right-hand side (the solver stops at
// 1e-10). With -DBUG the product has one row too many.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 9 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 10 2>&1 | FileCheck %s
#include "inputs/sample.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 64, kMostBlocks = 6;

struct Matrix {
  const int *first, *columns;
  const double *values;
  int rows;
};

struct Vectors {
  double *x, *residual, *direction, *product;
};

struct Progress {
  double dots[3]; // two are in use, one is being cleared for the next iteration
  int iterations;
};

__device__ void multiply(const Matrix &matrix, const double *in, double *out, cg::grid_group grid) {
#ifdef BUG
  int end = matrix.rows + 1;
#else
  int end = matrix.rows;
#endif
  for (int row = grid.thread_rank(); row < end; row += grid.size()) {
    double sum = 0;
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (36,0,0) block (1,0,0) lane 4
    // CHECK-NEXT: #0 multiply(Matrix const&, double const*, double*, cooperative_groups::{{.*}}grid_group)
    // CHECK-SAME: {{^}} {{.*}}conjugate-gradient.cu:[[#@LINE+1]]:
    int begin = matrix.first[row], endOfRow = matrix.first[row + 1];
    for (int k = begin; k < endOfRow; ++k)
      sum += matrix.values[k] * in[matrix.columns[k]];
    out[row] = sum;
  }
}

__device__ void addDot(const double *a, const double *b, int n, double *result, cg::grid_group grid,
                       cg::thread_block block) {
  __shared__ double ofTiles[kThreads / 32];
  double sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size())
    sum += a[i] * b[i];
  auto tile = cg::tiled_partition<32>(block);
  for (int offset = tile.size() / 2; offset > 0; offset /= 2)
    sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0)
    ofTiles[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    for (int i = 1; i < kThreads / 32; ++i)
      sum += ofTiles[i];
    atomicAdd(result, sum);
  }
  block.sync();
}

// Starts with x = 0, so the residual is the right-hand side.
__global__ void solve(Matrix matrix, const double *rhs, Vectors v, Progress *progress, double stop, int most) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  int n = matrix.rows;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) {
    v.x[i] = 0;
    v.residual[i] = v.direction[i] = rhs[i];
  }
  if (grid.thread_rank() == 0)
    *progress = {};
  grid.sync();
  addDot(v.residual, v.residual, n, &progress->dots[0], grid, block);
  grid.sync();
  double old = progress->dots[0];
  int iteration = 0, turn = 1;
  for (; iteration < most && old > stop * stop; ++iteration) {
    double *directionDot = &progress->dots[turn], *residualDot = &progress->dots[(turn + 1) % 3];
    multiply(matrix, v.direction, v.product, grid);
    if (grid.thread_rank() == 0)
      *directionDot = *residualDot = 0;
    grid.sync();
    addDot(v.direction, v.product, n, directionDot, grid, block);
    grid.sync();
    double alpha = old / *directionDot;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      v.x[i] += alpha * v.direction[i];
      v.residual[i] -= alpha * v.product[i];
    }
    grid.sync();
    addDot(v.residual, v.residual, n, residualDot, grid, block);
    grid.sync();
    double now = *residualDot, beta = now / old;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      v.direction[i] = v.residual[i] + beta * v.direction[i];
    old = now;
    turn = (turn + 2) % 3;
    grid.sync();
  }
  if (grid.thread_rank() == 0)
    progress->iterations = iteration;
}

void makeLaplacian(int side, std::vector<int> &first, std::vector<int> &columns, std::vector<double> &values) {
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      first.push_back(int(columns.size()));
      auto add = [&](int row, int column, double value) {
        if (row >= 0 && row < side && column >= 0 && column < side)
          columns.push_back(row * side + column), values.push_back(value);
      };
      add(y - 1, x, -1), add(y, x - 1, -1), add(y, x, 4.5), add(y, x + 1, -1), add(y + 1, x, -1);
    }
  first.push_back(int(columns.size()));
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 40, 1, 1 << 12);
  int side = arguments.size, n = side * side;
  std::vector<int> first, columns;
  std::vector<double> values, rhs(n), x(n);
  makeLaplacian(side, first, columns, values);
  Random random(2);
  double norm = 0;
  for (double &value : rhs) {
    value = random.unit() - 0.5;
    norm += value * value;
  }
  norm = std::sqrt(norm);
  int *firstOnDevice, *columnsOnDevice, device, multiprocessors, cooperative, perMultiprocessor;
  double *valuesOnDevice, *rhsOnDevice;
  Vectors vectors;
  Progress *progress, host;
  // CHECK: is located 0 bytes after 404-byte region
  // CHECK: in main {{.*}}conjugate-gradient.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&firstOnDevice, first.size() * sizeof(int)));
  CUDA(cudaMalloc(&columnsOnDevice, columns.size() * sizeof(int)));
  CUDA(cudaMalloc(&valuesOnDevice, values.size() * sizeof(double)));
  CUDA(cudaMalloc(&rhsOnDevice, n * sizeof(double)));
  CUDA(cudaMalloc(&progress, sizeof(Progress)));
  double **const buffers[] = {&vectors.x, &vectors.residual, &vectors.direction, &vectors.product};
  for (double **buffer : buffers)
    CUDA(cudaMalloc(buffer, n * sizeof(double)));
  upload(firstOnDevice, first);
  upload(columnsOnDevice, columns);
  upload(valuesOnDevice, values);
  upload(rhsOnDevice, rhs);

  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  EXPECT(cooperative, "no cooperative launches");
  CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor, solve, kThreads, 0));
  int blocks = std::min(multiprocessors * perMultiprocessor, kMostBlocks), most = 10 * n + 10;
  Matrix matrix = {firstOnDevice, columnsOnDevice, valuesOnDevice, n};
  double stop = 1e-10 * norm;
  void *parameters[] = {&matrix, &rhsOnDevice, &vectors, &progress, &stop, &most};
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i)
    CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(solve), blocks, kThreads, parameters, 0, nullptr));
  watch.stop(arguments, "conjugate gradient");
  CUDA(cudaMemcpy(&host, progress, sizeof host, cudaMemcpyDeviceToHost));
  download(x, vectors.x);
  double residual = 0;
  for (int row = 0; row < n; ++row) {
    double sum = rhs[row];
    for (int k = first[row]; k < first[row + 1]; ++k)
      sum -= values[k] * x[columns[k]];
    residual += sum * sum;
  }
  EXPECT(std::sqrt(residual) <= 1e-9 * norm, "residual %g of %g", std::sqrt(residual), norm);
  EXPECT(host.iterations >= 1 && host.iterations <= n + 60, "%d iterations", host.iterations);
  printf("%d unknowns solved\n", n);
  for (double **buffer : buffers)
    CUDA(cudaFree(*buffer));
  void *const others[] = {firstOnDevice, columnsOnDevice, valuesOnDevice, rhsOnDevice, progress};
  for (void *pointer : others)
    CUDA(cudaFree(pointer));
  return passed();
}
