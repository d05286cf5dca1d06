/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The shortest paths between all pairs of nodes: Floyd and Warshall's algorithm in tiles, three launches a round.
// The program stands for tiles in shared memory whose block indices skip or choose the round's own tile.
#include "../program.h"

constexpr int kTile = 32, kFar = 1 << 28;

typedef int Tile[kTile][kTile];

__device__ int load(const int *lengths, int n, int row, int column) {
  return row < n && column < n ? lengths[row * n + column] : kFar;
}

__device__ void relax(Tile &own, const Tile &left, const Tile &above) {
  int x = threadIdx.x, y = threadIdx.y;
  for (int k = 0; k < kTile; k++) {
    __syncthreads();
    int by_way_of_k = left[y][k] + above[k][x];
    __syncthreads();
    own[y][x] = min(own[y][x], by_way_of_k);
  }
}

__global__ void relax_pivot(int *lengths, int n, int round) {
  __shared__ Tile own;
  int x = threadIdx.x, y = threadIdx.y, row = round * kTile + y, column = round * kTile + x;
  own[y][x] = load(lengths, n, row, column);
  relax(own, own, own);
  if (row < n && column < n)
    lengths[row * n + column] = own[y][x];
}

// blockIdx.y 0: the tiles in the round's row; 1: those in its column.
__global__ void relax_cross(int *lengths, int n, int round) {
  __shared__ Tile pivot, own;
  int x = threadIdx.x, y = threadIdx.y, other = blockIdx.x < round ? blockIdx.x : blockIdx.x + 1;
  int row = (blockIdx.y == 0 ? round : other) * kTile + y, column = (blockIdx.y == 0 ? other : round) * kTile + x;
  pivot[y][x] = load(lengths, n, round * kTile + y, round * kTile + x);
  own[y][x] = load(lengths, n, row, column);
  if (blockIdx.y == 0)
    relax(own, pivot, own);
  else
    relax(own, own, pivot);
  if (row < n && column < n)
    lengths[row * n + column] = own[y][x];
}

__global__ void relax_rest(int *lengths, int n, int round) {
  __shared__ Tile left, above;
  if (blockIdx.x == round || blockIdx.y == round)
    return;
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  left[y][x] = load(lengths, n, row, round * kTile + x);
  above[y][x] = load(lengths, n, round * kTile + y, column);
  __syncthreads();
  int shortest = load(lengths, n, row, column);
  for (int k = 0; k < kTile; k++)
    shortest = min(shortest, left[y][k] + above[k][x]);
  if (row < n && column < n)
    lengths[row * n + column] = shortest;
}

struct MakeEdge {
  int n;
  __host__ __device__ int operator()(size_t i) const {
    return i / n == i % n ? 0 : scramble(~i) % 8 == 0 ? int(scramble(i) % 1000) + 1 : kFar;
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int n = program.size(75, 4090), tiles = divide_up(n, kTile);
  size_t count = size_t(n) * n;
  int *lengths = program.allocate<int>(count);
  dim3 block(kTile, kTile);
  program.time([&] { Program::fill(lengths, count, MakeEdge{n}); },
               [&] {
                 for (int round = 0; round < tiles; round++) {
                   relax_pivot<<<1, block>>>(lengths, n, round);
                   relax_cross<<<dim3(tiles - 1, 2), block>>>(lengths, n, round);
                   relax_rest<<<dim3(tiles, tiles), block>>>(lengths, n, round);
                 }
               });
  std::vector<int> found = copy_back(lengths, count);
  // All lengths are positive, so only the shortest ones agree with their row's others.
  auto check = [&](size_t i) {
    size_t row = i / n * n, column = i % n;
    int shortest = row / n == column ? 0 : kFar;
    for (size_t k = 0; k < size_t(n); k++)
      if (k != column)
        shortest = std::min(shortest, found[row + k] + MakeEdge{n}(k * n + column));
    return found[i] == shortest;
  };
  return program.finish(program.verify(count, check, n));
}
