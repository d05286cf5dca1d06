// Device memory for values of one type, made from a host's vector and copied back to one.
#ifndef GASAN_TEST_CPU_BUFFER_H
#define GASAN_TEST_CPU_BUFFER_H

#include "self_check.h"

template <typename T>
struct Buffer { // n values on the device
  T *data;
  size_t count;
  explicit Buffer(size_t count) : count(count) { CUDA(cudaMalloc(&data, count * sizeof(T))); }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) {
    CUDA(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { CUDA(cudaFree(data)); }
  Buffer(const Buffer &) = delete;
  operator T *() const { return data; }
  std::vector<T> host() const { // waits for earlier kernels
    std::vector<T> values(count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

#endif
