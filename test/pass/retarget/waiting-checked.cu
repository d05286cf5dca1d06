// A checked kernel waits for nobody: the report path, which looks for a free slot in a loop of atomics, is no poll.
// RUN: %gasan_clangxx -fsanitize=gpu-address -O2 -c %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// CHECK: gasan.block._Z5storePi
__global__ void store(int *out) {
  out[threadIdx.x] = 1;
}
