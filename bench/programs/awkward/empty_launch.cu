/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A launch of an empty kernel: no check runs, so this measures the launch itself.
#include "../program.h"

__global__ void empty() {}

int main(int argc, char **argv) {
  Program program(argc, argv);
  program.time([] { empty<<<1, 1>>>(); });
  return program.finish(true);
}
