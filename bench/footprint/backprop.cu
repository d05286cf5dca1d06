/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A training step of a network with n inputs and 16 hidden units, as Rodinia's backprop. The device computes partial
// sums forward and adjusts the weights; the host computes the rest of the network.
#include "footprint.h"

constexpr int kHidden = 16, kPitch = kHidden + 1;
constexpr float kRate = 0.3f, kMomentum = 0.3f;

struct MakeInput {
  __host__ __device__ float operator()(size_t i) const { return i == 0 ? 1.0f : scrambled_unit(i); }
};
struct MakeWeight {
  __host__ __device__ float operator()(size_t i) const { return scrambled_unit(i + (1ull << 40)) - 0.5f; }
};

// A block has 16 inputs and all hidden units: partial[block][unit] is the sum of its products.
__global__ void forward(const float *input, const float *weights, float *partial) {
  __shared__ float products[kHidden][kHidden];
  int unit = threadIdx.x, y = threadIdx.y;
  size_t row = blockIdx.x * size_t(kHidden) + y + 1;
  products[y][unit] = input[row] * weights[row * kPitch + unit + 1];
  __syncthreads();
  for (int half = kHidden / 2; half > 0; half /= 2) {
    if (y < half)
      products[y][unit] += products[y + half][unit];
    __syncthreads();
  }
  if (y == 0)
    partial[blockIdx.x * size_t(kHidden) + unit] = products[0][unit];
}

__global__ void adjust(const float *delta, const float *input, float *weights, float *previous) {
  int unit = threadIdx.x + 1;
  size_t row = blockIdx.x * size_t(kHidden) + threadIdx.y + 1, i = row * kPitch + unit;
  float change = kRate * delta[unit] * input[row] + kMomentum * previous[i];
  weights[i] += change;
  previous[i] = change;
}

int main(int argc, char **argv) {
  Footprint run("backprop", argc, argv, 256, 65536, 3 << 20);
  size_t inputs = run.n, weights_count = (inputs + 1) * kPitch, blocks = inputs / kHidden;
  float *input = run.allocate_made<float>(inputs + 1, MakeInput());
  float *hidden = run.allocate<float>(kPitch);
  float *weights = run.allocate_made<float>(weights_count, MakeWeight());
  float *partial = run.allocate<float>(blocks * kHidden);
  forward<<<blocks, dim3(kHidden, kHidden)>>>(input, weights, partial);
  run.launched();
  bool right = holds_for_samples(blocks * kHidden, [&](size_t i) {
    double sum = 0;
    for (size_t row = i / kHidden * kHidden + 1; row <= (i / kHidden + 1) * kHidden; row++)
      sum += double(MakeInput()(row)) * MakeWeight()(row * kPitch + i % kHidden + 1);
    return fabs(fetch(partial + i) - sum) <= 1e-5;
  });
  std::vector<float> delta(kPitch);
  for (int unit = 0; unit < kPitch; unit++)
    delta[unit] = 0.01f * unit - 0.05f;
  float *previous = run.allocate_made<float>(weights_count, [] __host__ __device__(size_t) { return 0.0f; });
  REQUIRE(cudaMemcpy(hidden, delta.data(), kPitch * sizeof(float), cudaMemcpyHostToDevice));
  adjust<<<blocks, dim3(kHidden, kHidden)>>>(hidden, input, weights, previous);
  run.launched();
  right &= holds_for_samples(weights_count, [&](size_t i) {
    size_t row = i / kPitch, unit = i % kPitch;
    double change = row && unit ? double(kRate) * delta[unit] * MakeInput()(row) : 0;
    return fabs(fetch(weights + i) - (MakeWeight()(i) + change)) <= 1e-5;
  });
  return run.finish(right);
}
