/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A tensor of up to five dimensions, copied with its dimensions in another order.
// The program stands for extents and strides in a struct by value, and a loop over dimensions that divides an index.
#include "../program.h"

constexpr int kMost = 5;

struct Permutation {
  int dimensions;
  int extents[kMost]; // of the result, the slowest first
  int strides[kMost]; // of the input, in the result's order
};

__host__ __device__ int find_source(int i, Permutation p) {
  int from = 0;
  for (int d = p.dimensions - 1; d >= 0; d--) {
    from += i % p.extents[d] * p.strides[d];
    i /= p.extents[d];
  }
  return from;
}

__global__ void permute(const float *in, float *out, int count, Permutation p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[find_source(i, p)];
}

// The same for a known number of dimensions; the compiler unrolls the loop.
template <int DIMENSIONS>
__global__ void permute_known(const float *__restrict__ in, float *__restrict__ out, int count, Permutation p) {
  const int step = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    int rest = i, from = 0;
#pragma unroll
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
      int quotient = rest / p.extents[d];
      from += (rest - quotient * p.extents[d]) * p.strides[d];
      rest = quotient;
    }
    out[i] = in[from];
  }
}

static Permutation make_permutation(const int *extents, const int *order) {
  int strides[kMost], stride = 1;
  for (int d = kMost - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= extents[d];
  }
  Permutation p = {kMost, {}, {}};
  for (int d = 0; d < kMost; d++) {
    p.extents[d] = extents[order[d]];
    p.strides[d] = strides[order[d]];
  }
  return p;
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  int extents[kMost] = {int(program.size(3, 16)), int(program.size(4, 12)), int(program.size(5, 70)),
                        int(program.size(7, 50)), int(program.size(6, 72))};
  const int order[kMost] = {0, 3, 1, 4, 2}, other[kMost] = {2, 0, 1, 3, 4};
  Permutation p = make_permutation(extents, order), q = make_permutation(extents, other);
  int count = 1;
  for (int extent : extents)
    count *= extent;
  float *in = program.allocate_made<float>(count, MakeUnits{0});
  float *out = program.allocate<float>(count), *known = program.allocate<float>(count);
  program.time([&] {
    permute<<<divide_up(count, 256), 256>>>(in, out, count, p);
    permute_known<kMost><<<std::min(divide_up(count, 256), 8192u), 256>>>(in, known, count, q);
  });
  return program.finish(program.verify(count, [&](size_t i) {
    return fetch(out + i) == unit(0, find_source(i, p)) && fetch(known + i) == unit(0, find_source(i, q));
  }));
}
