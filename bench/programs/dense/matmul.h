/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the three matrix products share: n x n matrices, inputs and the comparison.
#pragma once

#include "../program.h"

template <typename Launch>
int multiply(int argc, char **argv, Launch launch) {
  Program program(argc, argv);
  size_t n = program.size(64, 4096);
  float *a = program.allocate_made<float>(n * n, MakeUnits{0}), *b = program.allocate_made<float>(n * n, MakeUnits{1});
  float *c = program.allocate<float>(n * n);
  program.time([&] { launch(a, b, c, int(n)); });
  auto check = [&](size_t i) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
      sum += double(unit(0, i / n * n + k)) * unit(1, k * n + i % n);
    return is_close(fetch(c + i), sum);
  };
  return program.finish(program.verify(n * n, check, n));
}
