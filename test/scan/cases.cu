// Proofs by cases: in each case the size is a constant, so that the division is easy. The loop measures, as benchmarks
// do: it stores floating-point numbers through a pointer that the analysis loses, which changes no size.
// RUN: not %verdicts -DBUG %s 2>&1 | FileCheck %s --check-prefix=BUG
// RUN: %verdicts %s 2>&1 | FileCheck %s
#include <chrono>
#include <cstring>
#include <vector>

struct Grid {
  long long width, height;
};

// BUG: possible heap-buffer-overflow
// BUG-NEXT: READ of size 1 {{[0-9]+}} bytes after
// BUG-NEXT: #0 in smooth {{.*}}cases.cu:[[#@LINE+12]]:
__global__ void smooth(signed char *cells, long long width, long long height) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long row = i / width, column = i % width;
  if (row >= height)
    return;
  long long above = row > 0 ? row - 1 : height - 1;
#ifdef BUG
  long long below = row < height ? row + 1 : 0;
#else
  long long below = row + 1 < height ? row + 1 : 0;
#endif
  cells[i] = cells[above * width + column] + cells[below * width + column];
}

int main(int argc, char **argv) {
  const bool full = argc > 1 && !strcmp(argv[1], "full");
  const Grid grid = {full ? 16384 : 70, full ? 16000 : 36};
  const Grid *kept = &grid;
  signed char *cells;
  cudaMalloc(&cells, kept->width * kept->height);
  cudaMemset(cells, 0, kept->width * kept->height);
  std::vector<float> times;
  float sum = 0;
  do {
    const auto begin = std::chrono::steady_clock::now();
    smooth<<<(kept->width * kept->height + 255) / 256, 256>>>(cells, kept->width, kept->height);
    times.push_back(std::chrono::duration<float>(std::chrono::steady_clock::now() - begin).count());
    sum += times.back();
  } while (sum < 1 && times.size() < 20);
}

// CHECK: cases.cu:[[#@LINE-20]]:46: read in smooth(signed char*, long long, long long): proven{{$}}
// CHECK: 0 possible, 0 unknown
