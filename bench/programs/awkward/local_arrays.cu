/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The median of each thread's 48 numbers, sorted in a local array.
#include "../program.h"

constexpr int kNumbers = 48;

__global__ void find_medians(const float *numbers, float *medians, unsigned count) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count)
    return;
  float sorted[kNumbers];
  for (int i = 0; i < kNumbers; i++) {
    float number = numbers[(size_t)i * count + thread];
    int at = i;
    for (; at > 0 && sorted[at - 1] > number; at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = number;
  }
  medians[thread] = sorted[kNumbers / 2];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(500, 1 << 20);
  float *numbers = program.allocate_made<float>(size_t(count) * kNumbers, MakeUnits{0}),
        *medians = program.allocate<float>(count);
  program.time([&] { find_medians<<<divide_up(count, 128), 128>>>(numbers, medians, count); });
  return program.finish(program.verify(
      count,
      [&](size_t thread) {
        float own[kNumbers];
        for (int i = 0; i < kNumbers; i++)
          own[i] = unit(0, size_t(i) * count + thread);
        std::nth_element(own, own + kNumbers / 2, own + kNumbers);
        return fetch(medians + thread) == own[kNumbers / 2];
      },
      kNumbers));
}
