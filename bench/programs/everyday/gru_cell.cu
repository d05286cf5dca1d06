/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A step of a recurrent network's gated units (GRU), in half precision.
// The program stands for arrays of stride 3 * hidden, with the batch's row from i / hidden and the unit from i %
// hidden.
#include "../program.h"

#include <cuda_fp16.h>

// Each row has three parts of `hidden` elements: for the reset gate, the update gate and the new state.
struct Gates {
  const __half *gates, *bias;
};

__device__ float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

__device__ float load_gate(Gates from, int row, int unit, int gate, int hidden) {
  int offset = row * 3 * hidden + gate * hidden + unit;
  return __half2float(from.gates[offset]) + __half2float(from.bias[gate * hidden + unit]);
}

__global__ void step_gru(Gates input, Gates recurrent, const __half *before, __half *after, __half *saved, int hidden,
                         int total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    int row = i / hidden, unit = i % hidden;
    float reset = sigmoid(load_gate(input, row, unit, 0, hidden) + load_gate(recurrent, row, unit, 0, hidden));
    float update = sigmoid(load_gate(input, row, unit, 1, hidden) + load_gate(recurrent, row, unit, 1, hidden));
    float from_state = load_gate(recurrent, row, unit, 2, hidden);
    float fresh = tanhf(load_gate(input, row, unit, 2, hidden) + reset * from_state);
    after[i] = __float2half(fresh + update * (__half2float(before[i]) - fresh));
    // For the backward pass.
    __half *save = saved + (size_t)row * 3 * hidden + unit;
    save[0] = __float2half(reset);
    save[hidden] = __float2half(update);
    save[2 * hidden] = __float2half(fresh);
  }
}

template <int ARRAY>
struct MakeHalves {
  __host__ __device__ __half operator()(size_t i) const { return __float2half(2 * unit(ARRAY, i) - 1); }
};

template <int ARRAY>
double value(size_t i) {
  return __half2float(MakeHalves<ARRAY>()(i));
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int hidden = program.size(50, 1000), batch = program.size(30, 20000), total = hidden * batch;
  size_t gates = size_t(total) * 3;
  Gates input = {program.allocate_made<__half>(gates, MakeHalves<0>()),
                 program.allocate_made<__half>(3 * hidden, MakeHalves<1>())};
  Gates recurrent = {program.allocate_made<__half>(gates, MakeHalves<2>()),
                     program.allocate_made<__half>(3 * hidden, MakeHalves<3>())};
  __half *before = program.allocate_made<__half>(total, MakeHalves<4>()), *after = program.allocate<__half>(total);
  __half *saved = program.allocate<__half>(gates);
  int blocks = std::min(divide_up(total, 512), 4096u);
  program.time([&] { step_gru<<<blocks, 512>>>(input, recurrent, before, after, saved, hidden, total); });
  auto check = [&](size_t i) {
    double from_input[3], from_state[3];
    for (int gate = 0; gate < 3; gate++) {
      size_t unit = i % hidden, at = i / hidden * 3 * hidden + gate * hidden + unit;
      from_input[gate] = value<0>(at) + value<1>(gate * hidden + unit);
      from_state[gate] = value<2>(at) + value<3>(gate * hidden + unit);
    }
    double reset = 1 / (1 + exp(-from_input[0] - from_state[0])),
           update = 1 / (1 + exp(-from_input[1] - from_state[1]));
    double fresh = tanh(from_input[2] + reset * from_state[2]);
    double saved_fresh = __half2float(fetch(saved + i / hidden * 3 * hidden + 2 * hidden + i % hidden));
    return fabs(saved_fresh - fresh) < 2e-3 &&
           fabs(__half2float(fetch(after + i)) - ((1 - update) * fresh + update * value<4>(i))) < 2e-3;
  };
  return program.finish(program.verify(total, check));
}
