/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The steps of micro_launches, captured once: a graph of two hundred kernels that is launched again and again.
#include "../program.h"

__global__ void step(unsigned *state, const unsigned *keys, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    state[i] = state[i] * 1664525u + keys[i];
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  unsigned count = program.size(500, 1 << 14);
  int nodes = program.size(10, 200), launches = program.size(10, 50);
  auto make = [] __host__ __device__(size_t i) { return scramble(i); };
  unsigned *state = program.allocate<unsigned>(count), *keys = program.allocate_made<unsigned>(count, make);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  REQUIRE(cudaStreamCreate(&stream));
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int node = 0; node < nodes; node++)
    step<<<divide_up(count, 256), 256, 0, stream>>>(state, keys, count);
  REQUIRE(cudaStreamEndCapture(stream, &graph));
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0));
  REQUIRE(cudaGraphDestroy(graph));
  program.time([&] { Program::fill(state, count, make); },
               [&] {
                 for (int launch = 0; launch < launches; launch++)
                   REQUIRE(cudaGraphLaunch(executable, nullptr));
               });
  REQUIRE(cudaGraphExecDestroy(executable));
  REQUIRE(cudaStreamDestroy(stream));
  return program.finish(program.verify(
      count,
      [&](size_t i) {
        unsigned wanted = make(i);
        for (int step = 0; step < launches * nodes; step++)
          wanted = wanted * 1664525u + make(i);
        return fetch(state + i) == wanted;
      },
      launches * nodes));
}
