/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "views.hpp"
#include <cstdlib>

int main(int, char **arguments) {
  View x(100), y(100);
  parallel_for("fill", 100, [=] __device__(std::size_t i) { x(i) = i; });
  parallel_for("add", std::strtoul(arguments[1], nullptr, 10), [=] __device__(std::size_t i) { y(i) = x(i) + 1; });
  return fence();
}
