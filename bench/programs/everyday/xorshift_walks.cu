/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Random walks on a grid, which count the visits of each cell.
// Stands for indices that are clamped to the size of a grid, and for atomics at random places.
#include "../program.h"

struct Walkers {
  unsigned *s0, *s1, *s2, *s3; // the states of the random numbers
  int *x, *y;
};

struct Field {
  int *visits;
  int width, height;
};

__host__ __device__ unsigned next_random(unsigned s[4]) {
  unsigned t = s[0] ^ s[0] << 11;
  s[0] = s[1];
  s[1] = s[2];
  s[2] = s[3];
  s[3] = s[3] ^ s[3] >> 19 ^ t ^ t >> 8;
  return s[3];
}

__host__ __device__ int clamp_to(int i, int low, int high) {
  if (i < low)
    return low;
  return i > high ? high : i;
}

__host__ __device__ void step(unsigned s[4], int &x, int &y, int width, int height) {
  unsigned random = next_random(s);
  x = clamp_to(x + (int)(random % 5) - 2, 0, width - 1);
  y = clamp_to(y + (int)(random / 5 % 5) - 2, 0, height - 1);
}

__global__ void walk(Walkers walkers, Field field, int count, int steps) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    unsigned s[4] = {walkers.s0[i], walkers.s1[i], walkers.s2[i], walkers.s3[i]};
    int x = walkers.x[i], y = walkers.y[i];
    for (int k = 0; k < steps; k++) {
      step(s, x, y, field.width, field.height);
      atomicAdd(&field.visits[y * field.width + x], 1);
    }
    walkers.s0[i] = s[0];
    walkers.s1[i] = s[1];
    walkers.s2[i] = s[2];
    walkers.s3[i] = s[3];
    walkers.x[i] = x;
    walkers.y[i] = y;
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(500, 4 << 20), steps = program.size(20, 64);
  int width = program.size(61, 8000), height = program.size(47, 8111), cells = width * height;
  Field field = {program.allocate<int>(cells), width, height};
  Walkers walkers;
  unsigned **states[] = {&walkers.s0, &walkers.s1, &walkers.s2, &walkers.s3};
  for (unsigned **state : states)
    *state = program.allocate<unsigned>(count);
  walkers.x = program.allocate<int>(count);
  walkers.y = program.allocate<int>(count);
  auto make_state = [](int k) { return [k] __host__ __device__(size_t i) { return scramble(i * 4 + k) | 1; }; };
  auto make_x = [=] __host__ __device__(size_t i) { return int(scramble(i + (1ull << 42)) % width); };
  auto make_y = [=] __host__ __device__(size_t i) { return int(scramble(i + (1ull << 43)) % height); };
  auto prepare = [&] {
    for (int k = 0; k < 4; k++)
      program.fill(*states[k], count, make_state(k));
    program.fill(walkers.x, count, make_x);
    program.fill(walkers.y, count, make_y);
    REQUIRE(cudaMemset(field.visits, 0, cells * sizeof(int)));
  };
  program.time(prepare, [&] { walk<<<std::min(divide_up(count, 128), 4096u), 128>>>(walkers, field, count, steps); });
  std::vector<int> visits = copy_back(field.visits, cells);
  bool verified = program.verify(count, [&](size_t i) {
    unsigned s[4] = {make_state(0)(i), make_state(1)(i), make_state(2)(i), make_state(3)(i)};
    int x = make_x(i), y = make_y(i);
    for (int k = 0; k < steps; k++) {
      step(s, x, y, width, height);
      if (visits[y * width + x] == 0)
        return false;
    }
    return fetch(walkers.x + i) == x && fetch(walkers.y + i) == y && fetch(walkers.s3 + i) == s[3];
  });
  long long sum = 0;
  for (int cell_visits : visits)
    sum += cell_visits;
  return program.finish(verified && sum == (long long)count * steps);
}
