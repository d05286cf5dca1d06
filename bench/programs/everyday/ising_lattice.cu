/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Metropolis updates of an Ising model: spins of a byte on a torus, the two colours of a checkerboard in turn.
// The program stands for accesses to neighbours that wrap around, with rows and columns from a long long's / and %.
#include "../program.h"

// chance[(own * sum + 4) / 2]: the chance that a spin flips whose neighbours have that sum.
struct Metropolis {
  float chance[5];
};

__host__ __device__ bool flips(Metropolis rule, int own, int sum, long long cell, int step) {
  return unit(1 + step, cell) < rule.chance[(own * sum + 4) / 2];
}

__device__ int sum_of_neighbours(const signed char *spins, long long row, long long column, long long width,
                                 long long height) {
  long long above = row > 0 ? row - 1 : height - 1, below = row + 1 < height ? row + 1 : 0;
  long long left = column > 0 ? column - 1 : width - 1, right = (column + 1) % width;
  return spins[above * width + column] + spins[below * width + column] + spins[row * width + left] +
         spins[row * width + right];
}

__global__ void update_colour(signed char *spins, long long width, long long height, Metropolis rule, int colour,
                              int step) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long row = i / width, column = i % width;
  if (row >= height || (row + column) % 2 != colour)
    return;
  int own = spins[row * width + column], sum = sum_of_neighbours(spins, row, column, width, height);
  if (flips(rule, own, sum, i, step))
    spins[i] = -own;
}

struct Lattice {
  long long width, height;
  Metropolis rule;

  // The spin after a number of steps; even steps update colour 0.
  int spin(int steps, long long row, long long column) const {
    row = (row + height) % height, column = (column + width) % width;
    long long cell = row * width + column;
    if (steps == 0)
      return scramble(cell) % 2 ? 1 : -1;
    int own = spin(steps - 1, row, column), step = steps - 1;
    if ((row + column) % 2 != step % 2)
      return own;
    int sum = spin(step, row - 1, column) + spin(step, row + 1, column) + spin(step, row, column - 1) +
              spin(step, row, column + 1);
    return flips(rule, own, sum, cell, step) ? -own : own;
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  const int steps = 4;
  Lattice lattice = {(long long)program.size(70, 16384), (long long)program.size(36, 16000), {}};
  for (int i = 0; i < 5; i++)
    lattice.rule.chance[i] = float(std::min(1.0, exp(-0.8 * (2 * i - 4))));
  size_t count = lattice.width * lattice.height;
  signed char *spins = program.allocate<signed char>(count);
  auto make = [] __host__ __device__(size_t i) { return (signed char)(scramble(i) % 2 ? 1 : -1); };
  program.time([&] { Program::fill(spins, count, make); },
               [&] {
                 for (int step = 0; step < steps; step++)
                   update_colour<<<divide_up(count, 256), 256>>>(spins, lattice.width, lattice.height, lattice.rule,
                                                                 step % 2, step);
               });
  return program.finish(program.verify(
      count, [&](size_t i) { return fetch(spins + i) == lattice.spin(steps, i / lattice.width, i % lattice.width); },
      100));
}
