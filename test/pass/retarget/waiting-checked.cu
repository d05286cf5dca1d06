// A checked kernel does not wait: the report path, which searches a free slot in a loop of atomics, is no poll.
// RUN: %gasan_clangxx -fsanitize=gpu-address -O2 -c %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// CHECK: gasan.block._Z5storePi
__global__ void store(int *out) {
  out[threadIdx.x] = 1;
}
