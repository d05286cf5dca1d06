/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
__device__ int step_of(const int *steps, int i);
