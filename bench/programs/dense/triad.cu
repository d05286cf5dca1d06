/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// STREAM's triad: nothing but memory traffic.
#include "../program.h"

__global__ void triad(const float *a, const float *b, float *out, float factor, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[i] + factor * b[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(10000, 96 << 20);
  float *a = program.allocate_made<float>(count, MakeUnits{0}), *b = program.allocate_made<float>(count, MakeUnits{1});
  float *out = program.allocate<float>(count);
  program.time([&] { triad<<<divide_up(count, 256), 256>>>(a, b, out, 3.0f, count); });
  return program.finish(
      program.verify(count, [&](size_t i) { return is_close(fetch(out + i), unit(0, i) + 3.0 * unit(1, i)); }));
}
