/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Global alignment of two sequences of length n as Rodinia's nw: a table of similarities and one of scores, each
// (n + 1) x (n + 1), filled in 16 x 16 tiles, diagonal by diagonal. n is a multiple of the tile. Exact.
#include "footprint.h"

constexpr int kTile = 16, kGap = 10;

struct MakeSimilarity {
  __host__ __device__ int operator()(size_t i) const { return int(scramble(i) % 15) - 4; }
};

__global__ void fill_tiles(const int *similarity, int *score, int n, int first_row, int diagonal) {
  __shared__ int tile[kTile + 1][kTile + 1];
  int t = threadIdx.x, tile_row = first_row + blockIdx.x;
  size_t row = size_t(tile_row) * kTile, column = size_t(diagonal - tile_row) * kTile, pitch = n + 1;
  tile[0][t + 1] = score[row * pitch + column + t + 1];
  tile[t + 1][0] = score[(row + t + 1) * pitch + column];
  if (t == 0)
    tile[0][0] = score[row * pitch + column];
  __syncthreads();
  for (int step = 0; step < 2 * kTile - 1; step++) {
    int y = step - t + 1, x = t + 1;
    if (y >= 1 && y <= kTile)
      tile[y][x] = max(tile[y - 1][x - 1] + similarity[(row + y) * pitch + column + x],
                       max(tile[y - 1][x], tile[y][x - 1]) - kGap);
    __syncthreads();
  }
  for (int y = 1; y <= kTile; y++)
    score[(row + y) * pitch + column + t + 1] = tile[y][t + 1];
}

int main(int argc, char **argv) {
  Footprint run("nw", argc, argv, 64, 2048, 8192);
  int n = run.n, tiles = n / kTile;
  size_t pitch = n + 1;
  int *similarity = run.allocate_made<int>(pitch * pitch, MakeSimilarity());
  int *score = run.allocate_made<int>(pitch * pitch, [pitch] __host__ __device__(size_t i) {
    size_t row = i / pitch, column = i % pitch;
    return row == 0 || column == 0 ? -kGap * int(row + column) : 1 << 30;
  });
  for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
    int first = std::max(0, diagonal - tiles + 1), last = std::min(diagonal, tiles - 1);
    fill_tiles<<<last - first + 1, kTile>>>(similarity, score, n, first, diagonal);
  }
  run.launched();
  // The scores at the border are constants; each other score follows from its three neighbours.
  return run.finish(holds_for_samples(pitch * pitch, [&](size_t i) {
    int row = int(i / pitch), column = int(i % pitch), expected = -kGap * (row + column);
    if (row && column)
      expected = std::max(fetch(score + i - pitch - 1) + MakeSimilarity()(i),
                          std::max(fetch(score + i - pitch), fetch(score + i - 1)) - kGap);
    return fetch(score + i) == expected;
  }));
}
