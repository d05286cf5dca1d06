/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "backend/rows.cuh"
#include <cstdlib>

int main(int, char **arguments) {
  float *from, *to;
  return allocate(&from, 800) || allocate(&to, 800) || exp_rows(from, to, std::atoi(arguments[1]), 100);
}
