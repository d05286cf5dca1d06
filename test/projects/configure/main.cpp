/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>

int exchange(int width);

int main(int, char **arguments) {
  return exchange(std::atoi(arguments[1]));
}
