/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One launch of an empty kernel, and one chunk. The memory that it takes beyond the plain program's is the fixed cost.
#include "footprint.h"

__global__ void empty() {}

int main(int argc, char **argv) {
  Footprint run("empty", argc, argv, 64, 64, 64);
  run.allocate<int>(run.n);
  empty<<<1, 1>>>();
  return run.finish(true);
}
