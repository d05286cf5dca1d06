/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
__device__ int entry_of(const int *table, int i);
