/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tokenizer.h"
#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
#include <numeric>

std::vector<int> tokens(int count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}
