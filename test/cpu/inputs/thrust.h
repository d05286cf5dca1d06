// Shared by the thrust programs.
#ifndef GASAN_TEST_CPU_THRUST_H
#define GASAN_TEST_CPU_THRUST_H

#include "self_check.h"
#include <thrust/copy.h>
#include <thrust/device_vector.h>

template <typename T>
std::vector<T> host(const thrust::device_vector<T> &v) {
  std::vector<T> h(v.size());
  thrust::copy(v.begin(), v.end(), h.begin());
  return h;
}

#endif
