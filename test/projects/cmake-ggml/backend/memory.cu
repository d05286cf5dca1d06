/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rows.cuh"

int allocate(float **memory, int floats) {
  const int error = cudaMalloc(memory, floats * sizeof(float));
  return error ? error : cudaMemset(*memory, 0, floats * sizeof(float));
}
