/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Attention's forward pass, as in a small transformer: softmax(Q K^T / sqrt(d)) V by blocks of keys, without the matrix
// of weights. A thread takes a query; a block takes 64 queries of a head.
#include "../program.h"

constexpr int kWidth = 64, kQueries = 64, kKeys = 32;

__global__ void attend(const float *q, const float *k, const float *v, float *out, int length) {
  __shared__ float keys[kKeys][kWidth], values[kKeys][kWidth];
  size_t head = (size_t)blockIdx.y * length * kWidth;
  int query = blockIdx.x * kQueries + threadIdx.x;
  float own[kWidth], sums[kWidth] = {}, greatest = -INFINITY, weights = 0;
  if (query < length)
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      own[i] = q[head + (size_t)query * kWidth + i] * rsqrtf(kWidth);
  for (int start = 0; start < length; start += kKeys) {
    int count = min(kKeys, length - start);
    __syncthreads();
    for (int i = threadIdx.x; i < count * kWidth; i += kQueries) {
      keys[i / kWidth][i % kWidth] = k[head + (size_t)start * kWidth + i];
      values[i / kWidth][i % kWidth] = v[head + (size_t)start * kWidth + i];
    }
    __syncthreads();
    for (int key = 0; key < count; key++) {
      float score = 0;
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        score += own[i] * keys[key][i];
      float next = fmaxf(greatest, score), correction = expf(greatest - next), weight = expf(score - next);
      weights = weights * correction + weight;
#pragma unroll
      for (int i = 0; i < kWidth; i++)
        sums[i] = sums[i] * correction + weight * values[key][i];
      greatest = next;
    }
  }
  if (query < length)
#pragma unroll
    for (int i = 0; i < kWidth; i++)
      out[head + (size_t)query * kWidth + i] = sums[i] / weights;
}

struct MakeElement {
  int array;
  __host__ __device__ float operator()(size_t i) const { return 2 * unit(array, i) - 1; }
};

int main(int argc, char **argv) {
  Program program(argc, argv);
  int length = program.size(100, 2048), heads = program.size(2, 128);
  size_t count = size_t(length) * heads * kWidth;
  MakeElement query{0}, key{1}, value{2};
  float *q = program.allocate_made<float>(count, query), *k = program.allocate_made<float>(count, key);
  float *v = program.allocate_made<float>(count, value), *out = program.allocate<float>(count);
  program.time([&] { attend<<<dim3(divide_up(length, kQueries), heads), kQueries>>>(q, k, v, out, length); });
  auto check = [&](size_t i) {
    size_t head = i / kWidth / length * length, row = i / kWidth * kWidth;
    double sum = 0, weights = 0;
    for (size_t other = head; other < head + length; other++) {
      double score = 0;
      for (int j = 0; j < kWidth; j++)
        score += double(query(row + j)) * key(other * kWidth + j);
      double weight = exp(score / sqrt(double(kWidth)));
      weights += weight;
      sum += weight * value(other * kWidth + i % kWidth);
    }
    return fabs(fetch(out + i) - sum / weights) < 1e-4;
  };
  return program.finish(program.verify(count, check, length * kWidth));
}
