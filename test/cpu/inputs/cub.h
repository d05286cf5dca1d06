// What the cub programs share.
#ifndef GASAN_TEST_CPU_CUB_H
#define GASAN_TEST_CPU_CUB_H

#include "buffer.h"

// Asks an algorithm for its temporary memory, then runs it.
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
