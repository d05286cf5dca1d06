/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cstdlib>

int add_on_device(int n);

int main(int, char **arguments) {
  return add_on_device(std::atoi(arguments[1]));
}
