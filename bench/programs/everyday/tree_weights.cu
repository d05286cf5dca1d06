/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A layer of a neural network: the outputs for one input vector, then a step that changes the weights.
// The program stands for blocks of two dimensions that reduce products in shared memory by steps of ty % p == 0.
#include "../program.h"

constexpr int kSide = 16;

// Row 0 of the weights is the bias; input i has row i + 1.
__device__ int weight_index(int input, int output, int outputs) {
  return (input + 1) * outputs + output;
}

// inputs: a multiple of kSide. partial: a row for each block row of the grid.
__global__ void sum_products(const float *values, const float *weights, float *partial, int outputs) {
  __shared__ float value[kSide];
  __shared__ float products[kSide][kSide];
  int tx = threadIdx.x, ty = threadIdx.y;
  int input = kSide * blockIdx.y + ty, output = kSide * blockIdx.x + tx;
  if (tx == 0)
    value[ty] = values[input];
  __syncthreads();
  products[ty][tx] = output < outputs ? weights[weight_index(input, output, outputs)] * value[ty] : 0;
  __syncthreads();
  for (int p = 2; p <= kSide; p *= 2) {
    if (ty % p == 0)
      products[ty][tx] += products[ty + p / 2][tx];
    __syncthreads();
  }
  if (ty == 0 && output < outputs)
    partial[blockIdx.y * outputs + output] = products[0][tx];
}

__global__ void find_outputs(const float *partial, const float *bias, float *result, int outputs, int parts) {
  int output = blockIdx.x * blockDim.x + threadIdx.x;
  if (output >= outputs)
    return;
  float sum = 0;
  for (int part = 0; part < parts; part++)
    sum += partial[part * outputs + output];
  result[output] = tanhf(bias[output] + sum / (parts * kSide));
}

__global__ void change_weights(float *weights, const float *values, const float *result, int outputs, float rate) {
  int index = weight_index(kSide * blockIdx.y + threadIdx.y, kSide * blockIdx.x + threadIdx.x, outputs);
  int input = kSide * blockIdx.y + threadIdx.y, output = kSide * blockIdx.x + threadIdx.x;
  if (output < outputs) {
    weights[index] += rate * values[input] * result[output];
    if (input == 0)
      weights[output] += rate * result[output];
  }
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int inputs = program.size(64, 1 << 18), outputs = program.size(40, 200), parts = inputs / kSide;
  size_t count = size_t(inputs + 1) * outputs;
  const float rate = 0.25f;
  auto make = [] __host__ __device__(size_t i) { return unit(1, i) - 0.25f; };
  float *values = program.allocate_made<float>(inputs, MakeUnits{0}), *weights = program.allocate<float>(count);
  float *partial = program.allocate<float>(size_t(parts) * outputs), *result = program.allocate<float>(outputs);
  dim3 block(kSide, kSide), blocks(divide_up(outputs, kSide), parts);
  program.time([&] { Program::fill(weights, count, make); },
               [&] {
                 sum_products<<<blocks, block>>>(values, weights, partial, outputs);
                 find_outputs<<<divide_up(outputs, 64), 64>>>(partial, weights, result, outputs, parts);
                 change_weights<<<blocks, block>>>(weights, values, result, outputs, rate);
               });
  std::vector<float> found = copy_back(result, outputs);
  auto check_output = [&](size_t output) {
    double sum = 0;
    for (int input = 0; input < inputs; input++)
      sum += double(unit(0, input)) * make(size_t(input + 1) * outputs + output);
    return is_close(found[output], tanh(make(output) + sum / inputs), 1e-3);
  };
  auto check_weight = [&](size_t i) {
    double value = i < size_t(outputs) ? 1 : unit(0, i / outputs - 1);
    return fabs(fetch(weights + i) - (make(i) + rate * value * found[i % outputs])) < 1e-5;
  };
  return program.finish(program.verify(outputs, check_output, inputs) && program.verify(count, check_weight));
}
