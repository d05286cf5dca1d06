/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A thousand launches of a kernel that has little to do.
#include "../program.h"

__global__ void step(unsigned *state, const unsigned *keys, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    state[i] = state[i] * 1664525u + keys[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(500, 1 << 14);
  int launches = program.size(100, 1000);
  auto make = [] __host__ __device__(size_t i) { return scramble(i); };
  unsigned *state = program.allocate<unsigned>(count), *keys = program.allocate_made<unsigned>(count, make);
  program.time([&] { Program::fill(state, count, make); },
               [&] {
                 for (int launch = 0; launch < launches; launch++)
                   step<<<divide_up(count, 256), 256>>>(state, keys, count);
               });
  return program.finish(program.verify(count, [&](size_t i) {
    unsigned wanted = make(i);
    for (int launch = 0; launch < launches; launch++)
      wanted = wanted * 1664525u + make(i);
    return fetch(state + i) == wanted;
  }));
}
