// Global alignment of two sequences. The table of scores is filled in 16 x 16 tiles, diagonal by diagonal; in a tile
// the threads process its diagonals. The lengths need not be multiples of the tile. The host traces the alignment back.
// Results are compared exactly. With -DBUG the threads of the last row of tiles load their letters without a check of
// the length.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 100 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 90 2>&1 | FileCheck %s
#include "inputs/sample.h"
#include <string>

constexpr int kTile = 16, kLetters = 20, kGap = 10;
__constant__ signed char similarity[kLetters][kLetters];

struct Problem {
  const unsigned char *down, *across; // letters
  int rows, columns;                  // their lengths; the table has one more row and column
  int *table;
};

__global__ void fillBorder(Problem problem) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= problem.columns)
    problem.table[i] = -kGap * i;
  if (i <= problem.rows)
    problem.table[i * (problem.columns + 1)] = -kGap * i;
}

__global__ void fillTiles(Problem problem, int firstTileRow, int diagonal) {
  __shared__ int scores[kTile + 1][kTile + 1];
  __shared__ unsigned char letters[kTile];
  int tileRow = firstTileRow + blockIdx.x, tileColumn = diagonal - tileRow;
  int row = tileRow * kTile, column = tileColumn * kTile, t = threadIdx.x, pitch = problem.columns + 1;
  // The row above the tile, the column left of it, and their corner.
  if (column + t + 1 <= problem.columns)
    scores[0][t + 1] = problem.table[row * pitch + column + t + 1];
  if (row + t + 1 <= problem.rows)
    scores[t + 1][0] = problem.table[(row + t + 1) * pitch + column];
  if (t == 0)
    scores[0][0] = problem.table[row * pitch + column];
#ifndef BUG
  if (row + t < problem.rows)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (10,0,0) block ({{[0-5]}},0,0) lane 10 (and 5 more
    // CHECK-NEXT: #0 fillTiles(Problem, int, int) {{.*}}needleman-wunsch.cu:[[#@LINE+1]]:
    letters[t] = problem.down[row + t];
  unsigned char letter = column + t < problem.columns ? problem.across[column + t] : 0;
  __syncthreads();
  for (int step = 0; step < 2 * kTile - 1; ++step) {
    int y = step - t; // thread t has column t of the tile
    if (y >= 0 && y < kTile && row + y < problem.rows && column + t < problem.columns) {
      int match = scores[y][t] + similarity[letters[y]][letter];
      int gap = max(scores[y][t + 1], scores[y + 1][t]) - kGap;
      scores[y + 1][t + 1] = max(match, gap);
    }
    __syncthreads();
  }
  for (int y = 0; y < kTile; ++y)
    if (row + y < problem.rows && column + t < problem.columns)
      problem.table[(row + y + 1) * pitch + column + t + 1] = scores[y + 1][t + 1];
}

void align(const Problem &problem) {
  int tileRows = divide_up(problem.rows, kTile), tileColumns = divide_up(problem.columns, kTile);
  fillBorder<<<divide_up(std::max(problem.rows, problem.columns) + 1, 64), 64>>>(problem);
  for (int diagonal = 0; diagonal < tileRows + tileColumns - 1; ++diagonal) {
    int first = std::max(0, diagonal - tileColumns + 1), last = std::min(diagonal, tileRows - 1);
    fillTiles<<<last - first + 1, kTile>>>(problem, first, diagonal);
  }
  CUDA(cudaGetLastError());
}

using Similarity = signed char[kLetters][kLetters];

std::string traceBack(const std::vector<int> &table, const std::vector<unsigned char> &down,
                      const std::vector<unsigned char> &across, const Similarity &similar) {
  std::string path;
  size_t y = down.size(), x = across.size(), pitch = across.size() + 1;
  while (y || x) {
    int here = table[y * pitch + x];
    if (y && x && here == table[(y - 1) * pitch + x - 1] + similar[down[y - 1]][across[x - 1]])
      path += '\\', --y, --x;
    else if (y && here == table[(y - 1) * pitch + x] - kGap)
      path += '|', --y;
    else
      path += '-', --x;
  }
  return path;
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 500, 1, 1 << 14);
  int rows = arguments.size, columns = arguments.size + arguments.size / 3;
  size_t pitch = columns + 1;
  Random random(6);
  static Similarity similar;
  for (int a = 0; a < kLetters; ++a)
    for (int b = 0; b <= a; ++b)
      similar[a][b] = similar[b][a] = a == b ? 5 + random.below(7) : int(random.below(8)) - 5;
  std::vector<unsigned char> down(rows), across(columns);
  for (int i = 0; i < columns; ++i)
    across[i] = random.below(kLetters);
  for (int i = 0; i < rows; ++i) // the second sequence is the first with a few changed letters
    down[i] = random.below(8) ? across[i] : random.below(kLetters);
  CUDA(cudaMemcpyToSymbol(similarity, similar, sizeof similar));

  unsigned char *downOnDevice, *acrossOnDevice;
  int *table;
  // CHECK: is located 0 bytes after 90-byte region
  // CHECK: in main {{.*}}needleman-wunsch.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&downOnDevice, rows));
  CUDA(cudaMalloc(&acrossOnDevice, columns));
  CUDA(cudaMalloc(&table, (rows + 1) * pitch * sizeof(int)));
  upload(downOnDevice, down);
  upload(acrossOnDevice, across);
  Stopwatch watch;
  for (int i = 0; i < arguments.repeat; ++i)
    align({downOnDevice, acrossOnDevice, rows, columns, table});
  watch.stop(arguments, "needleman-wunsch");

  std::vector<int> result((rows + 1) * pitch), expected((rows + 1) * pitch);
  for (int y = 0; y <= rows; ++y)
    for (int x = 0; x <= columns; ++x) {
      size_t i = y * pitch + x;
      if (!y || !x)
        expected[i] = -kGap * (x + y);
      else
        expected[i] = std::max(expected[i - pitch - 1] + similar[down[y - 1]][across[x - 1]],
                               std::max(expected[i - pitch], expected[i - 1]) - kGap);
    }
  download(result, table);
  for (size_t i = 0; i < result.size(); ++i)
    EXPECT(result[i] == expected[i], "row %zu column %zu: %d, not %d", i / pitch, i % pitch, result[i], expected[i]);
  std::string path = traceBack(result, down, across, similar);
  printf("score %d, path of %zu: %016llx\n", result.back(), path.size(),
         (unsigned long long)checksum(path.data(), path.size()));
  CUDA(cudaFree(downOnDevice));
  CUDA(cudaFree(acrossOnDevice));
  CUDA(cudaFree(table));
  return passed();
}
