// Temperatures of a chip from the power of its cells: a five-point stencil with a sink to the ambient temperature. Each
// launch does several steps on a tile in shared memory. The tile's valid part shrinks by one cell a step (a pyramid),
// so tiles overlap. Tolerance: 1e-4 degrees against double precision, at temperatures near 330 (an ulp is 3e-5) over a
// few contracting steps. With -DBUG the guard of the loads allows one row and column too many, at the last tile.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 33 --repeat 3 2>&1 | %same.1
// RUN: %run %t --size 16 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 40 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kBlock = 16, kMostSteps = 3;

struct Chip {
  int rows, columns;
  float perCapacity, acrossX, acrossY, acrossZ, ambient;
};

#ifdef BUG
__device__ bool within(int i, int first, int last) {
  return i >= first && i <= last + 1;
}
#else
__device__ bool within(int i, int first, int last) {
  return i >= first && i <= last;
}
#endif

__global__ void simulate(const float *power, const float *from, float *to, Chip chip, int steps) {
  __shared__ float old[kBlock][kBlock], heat[kBlock][kBlock];
  int valid = kBlock - 2 * steps, tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * valid - steps + tx, row = blockIdx.y * valid - steps + ty;
  if (within(row, 0, chip.rows - 1) && within(column, 0, chip.columns - 1)) {
    int index = row * chip.columns + column;
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread
    // CHECK-NEXT: #0 simulate(float const*, float const*, float*, Chip, int) {{.*}}hotspot.cu:[[#@LINE+1]]:
    old[ty][tx] = from[index];
    heat[ty][tx] = power[index];
  }
  __syncthreads();
  // The chip's cells in this tile.
  int left = max(0, steps - int(blockIdx.x) * valid), top = max(0, steps - int(blockIdx.y) * valid);
  int right = min(kBlock - 1, chip.columns - 1 - (column - tx)), bottom = min(kBlock - 1, chip.rows - 1 - (row - ty));
  for (int step = 1; step <= steps; ++step) {
    bool computes = tx >= step && tx < kBlock - step && ty >= step && ty < kBlock - step && tx >= left && tx <= right &&
                    ty >= top && ty <= bottom;
    float next = 0;
    if (computes) {
      int west = max(tx - 1, left), east = min(tx + 1, right), north = max(ty - 1, top), south = min(ty + 1, bottom);
      float here = old[ty][tx];
      next = here + chip.perCapacity * (heat[ty][tx] + (old[south][tx] + old[north][tx] - 2 * here) * chip.acrossY +
                                        (old[ty][east] + old[ty][west] - 2 * here) * chip.acrossX +
                                        (chip.ambient - here) * chip.acrossZ);
      if (step == steps)
        to[row * chip.columns + column] = next;
    }
    __syncthreads();
    if (computes)
      old[ty][tx] = next;
    __syncthreads();
  }
}

void stepOnHost(const std::vector<float> &power, const std::vector<double> &from, std::vector<double> &to, Chip chip) {
  for (int row = 0; row < chip.rows; ++row)
    for (int column = 0; column < chip.columns; ++column) {
      auto at = [&](int r, int c) {
        r = std::min(std::max(r, 0), chip.rows - 1), c = std::min(std::max(c, 0), chip.columns - 1);
        return from[size_t(r) * chip.columns + c];
      };
      double here = at(row, column);
      size_t i = size_t(row) * chip.columns + column;
      to[i] =
          here + chip.perCapacity * (power[i] + (at(row + 1, column) + at(row - 1, column) - 2 * here) * chip.acrossY +
                                     (at(row, column + 1) + at(row, column - 1) - 2 * here) * chip.acrossX +
                                     (chip.ambient - here) * chip.acrossZ);
    }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 100, 2, 1 << 14);
  Chip chip = {arguments.size, arguments.size + arguments.size / 8, 0.05f, 1.5f, 1.25f, 0.25f, 320.0f};
  int cells = chip.rows * chip.columns, steps = 7 * arguments.repeat;
  Random random(77);
  std::vector<float> power(cells), temperature(cells);
  for (int i = 0; i < cells; ++i) {
    power[i] = 5 * random.unit();
    temperature[i] = 323 + 10 * random.unit();
  }
  float *heat, *buffers[2];
  CUDA(cudaMalloc(&heat, cells * sizeof(float)));
  for (float *&buffer : buffers)
    // CHECK: is located {{[0-9]+}} bytes after 7200-byte region
    // CHECK: in main {{.*}}hotspot.cu:[[#@LINE+1]]:
    CUDA(cudaMalloc(&buffer, cells * sizeof(float)));
  upload(heat, power);
  upload(buffers[0], temperature);
  int turn = 0;
  Stopwatch watch;
  for (int done = 0; done < steps; turn ^= 1) {
    int now = std::min(kMostSteps, steps - done), valid = kBlock - 2 * now;
    dim3 grid(divide_up(chip.columns, valid), divide_up(chip.rows, valid));
    simulate<<<grid, dim3(kBlock, kBlock)>>>(heat, buffers[turn], buffers[turn ^ 1], chip, now);
    done += now;
  }
  CUDA(cudaGetLastError());
  watch.stop(arguments, "hotspot");
  std::vector<double> expected[2];
  expected[0].assign(temperature.begin(), temperature.end());
  expected[1].resize(cells);
  for (int i = 0; i < steps; ++i)
    stepOnHost(power, expected[i & 1], expected[i & 1 ^ 1], chip);
  download(temperature, buffers[turn]);
  for (int i = 0; i < cells; ++i)
    EXPECT(std::fabs(temperature[i] - expected[steps & 1][i]) <= 1e-4, "cell %d: %.6f, not %.6f", i,
           double(temperature[i]), expected[steps & 1][i]);
  printf("%d x %d cells, %d steps\n", chip.rows, chip.columns, steps);
  CUDA(cudaFree(heat));
  for (float *buffer : buffers)
    CUDA(cudaFree(buffer));
  return passed();
}
