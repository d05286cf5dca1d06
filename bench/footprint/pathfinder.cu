/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The cheapest way through a grid of 100 rows and n columns as Rodinia's pathfinder, row by row. Exact.
#include "footprint.h"

constexpr int kRows = 100, kThreads = 256;

struct MakeWall {
  __host__ __device__ int operator()(size_t i) const { return scramble(i) % 10; }
};

__global__ void step(const int *row, const int *from, int *to, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < columns)
    to[x] = row[x] + min(from[x], min(from[max(x - 1, 0)], from[min(x + 1, columns - 1)]));
}

// Only the columns from which a way can end in x.
static int expected(int columns, int x) {
  int first = std::max(0, x - kRows), last = std::min(columns - 1, x + kRows);
  std::vector<int> from(last - first + 1), to(from.size());
  for (size_t i = 0; i < from.size(); i++)
    from[i] = MakeWall()(first + i);
  for (int row = 1; row < kRows; row++, from.swap(to))
    for (size_t i = 0; i < from.size(); i++)
      to[i] = MakeWall()(size_t(row) * columns + first + i) +
              std::min(from[i], std::min(from[i ? i - 1 : 0], from[std::min(i + 1, from.size() - 1)]));
  return from[x - first];
}

int main(int argc, char **argv) {
  Footprint run("pathfinder", argc, argv, 300, 100000, 1000000);
  int n = run.n;
  int *wall =
      run.allocate_made<int>(size_t(kRows - 1) * n, [n] __host__ __device__(size_t i) { return MakeWall()(i + n); });
  int *result[2] = {run.allocate_made<int>(n, MakeWall()), run.allocate<int>(n)};
  for (int row = 1; row < kRows; row++)
    step<<<divide_up(n, kThreads), kThreads>>>(wall + size_t(row - 1) * n, result[(row - 1) % 2], result[row % 2], n);
  run.launched();
  return run.finish(
      holds_for_samples(n, [&](size_t i) { return fetch(result[(kRows - 1) % 2] + i) == expected(n, int(i)); }));
}
