/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
#include <cstddef>
#include <string>

struct View {
  explicit View(std::size_t count);
  __host__ __device__ double &operator()(std::size_t i) const { return Data[i]; }
  double *Data;
};

template <typename F>
__global__ void run(std::size_t count, F functor) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < count)
    functor(i);
}

template <typename F>
void parallel_for(const std::string &, std::size_t count, F functor) {
  run<<<(count + 127) / 128, 128>>>(count, functor);
}

int fence();
