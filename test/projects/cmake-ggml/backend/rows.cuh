/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
int exp_rows(const float *from, float *to, int rows, int columns);
int allocate(float **memory, int floats);
