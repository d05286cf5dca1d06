/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Counts the ways to place n queens on a board; a thread's number gives the queens of the first rows.
// Stands for a private array that is a stack, and for loops that end when the search has no more places.
#include "../program.h"

constexpr int kMostRows = 16;

struct Board {
  int rows, given; // the rows that a thread's number gives
};

__device__ bool is_free(const int *columns, int row, int column) {
  for (int r = 0; r < row; r++) {
    int distance = columns[r] - column;
    if (distance == 0 || abs(distance) == row - r)
      return false;
  }
  return true;
}

__device__ bool place_given(int *columns, int number, Board board) {
  for (int row = 0; row < board.given; row++) {
    int column = number % board.rows;
    number /= board.rows;
    if (!is_free(columns, row, column))
      return false;
    columns[row] = column;
  }
  return true;
}

__device__ int search(int *columns, Board board) {
  int found = 0, row = board.given;
  columns[row] = -1;
  while (row >= board.given) {
    do
      columns[row]++;
    while (columns[row] < board.rows && !is_free(columns, row, columns[row]));
    if (columns[row] >= board.rows)
      row--;
    else if (row == board.rows - 1)
      found++;
    else
      columns[++row] = -1;
  }
  return found;
}

__global__ void count_queens(Board board, int threads, unsigned *counts, unsigned long long *sum) {
  __shared__ unsigned block_sum;
  int columns[kMostRows], id = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    block_sum = 0;
  __syncthreads();
  if (id < threads) {
    unsigned found = place_given(columns, id, board) ? search(columns, board) : 0;
    counts[id] = found;
    atomicAdd(&block_sum, found);
  }
  __syncthreads();
  if (threadIdx.x == 0 && block_sum != 0)
    atomicAdd(sum, (unsigned long long)block_sum);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Board board = {int(program.size(7, 15)), int(program.size(2, 5))};
  int threads = 1;
  for (int row = 0; row < board.given; row++)
    threads *= board.rows;
  unsigned *counts = program.allocate<unsigned>(threads);
  auto sum = program.allocate<unsigned long long>(1);
  program.time([&] { REQUIRE(cudaMemset(sum, 0, sizeof *sum)); },
               [&] { count_queens<<<divide_up(threads, 64), 64>>>(board, threads, counts, sum); });
  // A board and its mirror image have equally many ways.
  std::vector<unsigned> found = copy_back(counts, threads);
  bool mirrored = program.verify(threads, [&](size_t number) {
    int mirror = 0;
    for (int factor = 1, rest = number; factor < threads; factor *= board.rows, rest /= board.rows)
      mirror += (board.rows - 1 - rest % board.rows) * factor;
    return found[number] == found[mirror];
  });
  return program.finish(mirrored && fetch(sum) == (program.full ? 2279184 : 40));
}
