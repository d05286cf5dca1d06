// Allocates an array on the device, all of whose bytes are 0. Nothing frees it.
#pragma once

template <typename T>
T *array(int count) {
  T *values;
  cudaMalloc((void **)&values, count * sizeof(T));
  cudaMemset(values, 0, count * sizeof(T));
  return values;
}
