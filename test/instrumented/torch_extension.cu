/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <torch/extension.h>

__global__ void clip_kernel(float *to, const float *from, long count) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = fminf(from[i], 0.5f); // BUG clip
}

__global__ void mean_kernel(float *to, const float *from, long count) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= 3 && i < count)
    to[i] = (from[i - 3] + from[i - 2] + from[i - 1] + from[i]) / 4; // BUG running_mean
}

void clip(torch::Tensor to, torch::Tensor from, long count) {
  clip_kernel<<<(count + 255) / 256, 256>>>(to.data_ptr<float>(), from.data_ptr<float>(), count);
}

void running_mean(torch::Tensor to, torch::Tensor from, long count) {
  mean_kernel<<<(count + 255) / 256, 256>>>(to.data_ptr<float>(), from.data_ptr<float>(), count);
}
