/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Prices American put options by binomial trees; a block takes an option.
// Stands for dynamic shared memory that holds a whole tree level, and for a loop backward over a shrinking range.
#include "../program.h"

struct Option {
  float spot, strike, years, rate, volatility;
};

struct Tree {
  float up, down, discount_up, discount_down;
};

__host__ __device__ Tree plant(Option option, int steps) {
  float dt = option.years / steps, up = expf(option.volatility * sqrtf(dt)), down = 1 / up;
  float growth = expf(option.rate * dt), probability = (growth - down) / (up - down);
  return Tree{up, down, probability / growth, (1 - probability) / growth};
}

// The price at the end of `ups` rises and `step` - `ups` falls.
__device__ float price_at(Option option, Tree tree, int step, int ups) {
  return option.spot * powf(tree.up, (float)(2 * ups - step));
}

__global__ void price_options(const Option *options, float *prices, int count, int steps) {
  extern __shared__ float values[]; // steps + 1
  if (blockIdx.x >= count)
    return;
  Option option = options[blockIdx.x];
  Tree tree = plant(option, steps);
  for (int i = threadIdx.x; i <= steps; i += blockDim.x)
    values[i] = fmaxf(option.strike - price_at(option, tree, steps, i), 0.f);
  __syncthreads();
  for (int step = steps - 1; step >= 0; step--)
    for (int base = 0; base <= step; base += blockDim.x) {
      int i = base + threadIdx.x;
      float held = 0, exercised = 0;
      if (i <= step) {
        held = tree.discount_up * values[i + 1] + tree.discount_down * values[i];
        exercised = option.strike - price_at(option, tree, step, i);
      }
      __syncthreads();
      if (i <= step)
        values[i] = fmaxf(held, exercised);
      __syncthreads();
    }
  if (threadIdx.x == 0)
    prices[blockIdx.x] = values[0];
}

struct MakeOption {
  __host__ __device__ Option operator()(size_t i) const {
    return Option{80 + 40 * unit(0, i), 80 + 40 * unit(1, i), 0.25f + 2 * unit(2, i), 0.01f + 0.05f * unit(3, i),
                  0.1f + 0.3f * unit(4, i)};
  }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int count = program.size(4, 20000), steps = program.size(50, 500), threads = program.size(32, 128);
  Option *options = program.allocate_made<Option>(count, MakeOption());
  float *prices = program.allocate<float>(count);
  program.time([&] { price_options<<<count, threads, (steps + 1) * sizeof(float)>>>(options, prices, count, steps); });
  auto check = [&](size_t i) {
    Option option = MakeOption()(i);
    double dt = double(option.years) / steps, up = exp(option.volatility * sqrt(dt)), growth = exp(option.rate * dt);
    double probability = (growth - 1 / up) / (up - 1 / up);
    std::vector<double> values(steps + 1);
    for (int step = steps; step >= 0; step--)
      for (int ups = 0; ups <= step; ups++) {
        double held = step == steps ? 0 : (probability * values[ups + 1] + (1 - probability) * values[ups]) / growth;
        values[ups] = std::max(held, option.strike - option.spot * pow(up, 2 * ups - step));
      }
    return fabs(fetch(prices + i) - values[0]) < 3e-2;
  };
  return program.finish(program.verify(count, check, size_t(steps) * steps));
}
