/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads at random indices.
#include "../program.h"

__global__ void gather(const float *a, const unsigned *index, float *out, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[index[i]];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(10000, 64 << 20);
  auto make_index = [count] __host__ __device__(size_t i) { return scramble(i) % count; };
  float *a = program.allocate_made<float>(count, MakeUnits{0}), *out = program.allocate<float>(count);
  unsigned *index = program.allocate_made<unsigned>(count, make_index);
  program.time([&] { gather<<<divide_up(count, 256), 256>>>(a, index, out, count); });
  return program.finish(program.verify(count, [&](size_t i) { return fetch(out + i) == unit(0, make_index(i)); }));
}
