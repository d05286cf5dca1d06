// Shared by the cub programs.
#ifndef GASAN_TEST_CPU_CUB_H
#define GASAN_TEST_CPU_CUB_H

#include "buffer.h"

// Queries an algorithm's temporary memory, then runs the algorithm.
template <typename F>
void run(F algorithm) {
  size_t bytes = 0;
  CUDA(algorithm(nullptr, bytes));
  Buffer<char> temporary(bytes ? bytes : 1);
  CUDA(algorithm(temporary, bytes));
  CUDA(cudaDeviceSynchronize());
}

template <typename T>
T first(const Buffer<T> &buffer) {
  return buffer.host()[0];
}

#endif
