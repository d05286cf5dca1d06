/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The scores of all alignments of two sequences, tile by tile, one anti-diagonal of tiles a launch.
// Stands for a matrix with a border in shared memory, whose anti-diagonals the threads walk under growing guards.
#include "../program.h"

constexpr int kTile = 16;

struct Costs {
  int match, mismatch, gap;
};

__host__ __device__ int best_of(int diagonal, int above, int left, bool same, Costs costs) {
  int best = diagonal + (same ? costs.match : costs.mismatch);
  best = above + costs.gap > best ? above + costs.gap : best;
  return left + costs.gap > best ? left + costs.gap : best;
}

__global__ void fill_borders(int *matrix, int n, int gap) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n)
    return;
  matrix[i] = i * gap;
  matrix[i * (n + 1)] = i * gap;
}

__device__ void score_cell(int tile[kTile + 1][kTile + 1], const char *a, const char *b, int x, int y, Costs costs) {
  tile[y + 1][x + 1] = best_of(tile[y][x], tile[y][x + 1], tile[y + 1][x], a[x] == b[y], costs);
}

__global__ void score_tiles(int *matrix, const char *a, const char *b, int n, int diagonal, int first, Costs costs) {
  __shared__ int tile[kTile + 1][kTile + 1];
  __shared__ char own_a[kTile], own_b[kTile];
  int tid = threadIdx.x, pitch = n + 1;
  int tile_x = first + blockIdx.x, tile_y = diagonal - tile_x;
  int corner = tile_y * kTile * pitch + tile_x * kTile;
  own_a[tid] = a[tile_x * kTile + tid];
  own_b[tid] = b[tile_y * kTile + tid];
  tile[0][tid + 1] = matrix[corner + tid + 1];
  tile[tid + 1][0] = matrix[corner + (tid + 1) * pitch];
  if (tid == 0)
    tile[0][0] = matrix[corner];
  __syncthreads();
  for (int m = 0; m < kTile; m++) {
    if (tid <= m)
      score_cell(tile, own_a, own_b, tid, m - tid, costs);
    __syncthreads();
  }
  for (int m = kTile - 2; m >= 0; m--) {
    if (tid <= m)
      score_cell(tile, own_a, own_b, tid + kTile - 1 - m, kTile - 1 - tid, costs);
    __syncthreads();
  }
  for (int y = 1; y <= kTile; y++)
    matrix[corner + y * pitch + tid + 1] = tile[y][tid + 1];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int n = program.size(80, 8192), tiles = n / kTile;
  Costs costs = {3, -2, -1};
  auto letter_a = [] __host__ __device__(size_t i) { return "ACGT"[scramble(i) % 4]; };
  auto letter_b = [=] __host__ __device__(size_t i) { return scramble(~i) % 8 ? letter_a(i + i / 100) : 'T'; };
  char *a = program.allocate_made<char>(n, letter_a), *b = program.allocate_made<char>(n, letter_b);
  int *matrix = program.allocate<int>(size_t(n + 1) * (n + 1));
  program.time([&] {
    fill_borders<<<divide_up(n + 1, 128), 128>>>(matrix, n, costs.gap);
    for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
      int first = std::max(0, diagonal - tiles + 1), last = std::min(diagonal, tiles - 1);
      score_tiles<<<last - first + 1, kTile>>>(matrix, a, b, n, diagonal, first, costs);
    }
  });
  std::vector<int> scores = copy_back(matrix, size_t(n + 1) * (n + 1)), above(n + 1), row(n + 1);
  bool verified = true;
  for (int y = 0; y <= n; y++, std::swap(above, row)) {
    for (int x = 0; x <= n; x++)
      row[x] = x == 0 || y == 0
                   ? (x + y) * costs.gap
                   : best_of(above[x - 1], above[x], row[x - 1], letter_a(x - 1) == letter_b(y - 1), costs);
    verified &= std::equal(row.begin(), row.end(), scores.begin() + size_t(y) * (n + 1));
  }
  return program.finish(verified);
}
