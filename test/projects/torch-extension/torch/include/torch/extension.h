/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Stands for PyTorch's headers: as much as extension.cpp uses.
#pragma once
#include <cstdint>
#include <stdexcept>

#define TORCH_CHECK(condition, text)                                                                                   \
  if (!(condition))                                                                                                    \
  throw std::runtime_error(text)

namespace torch {
class Tensor {
public:
  Tensor(void *data, int64_t count) : Data(static_cast<float *>(data)), Count(count) {}
  template <typename T>
  T *data_ptr() const {
    return Data;
  }
  int64_t numel() const { return Count; }
  bool is_cuda() const { return true; }

private:
  float *Data;
  int64_t Count;
};
Tensor zeros(int64_t count);
} // namespace torch
