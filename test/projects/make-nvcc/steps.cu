/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "steps.h"

__device__ int step_of(const int *steps, int i) {
  return __ldcg(steps + i);
}
