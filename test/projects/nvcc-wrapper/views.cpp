/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "views.hpp"

View::View(std::size_t count) {
  cudaMallocManaged(&Data, count * sizeof(double));
}

int fence() {
  return cudaDeviceSynchronize();
}
