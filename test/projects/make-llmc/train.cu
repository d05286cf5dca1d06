/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tokenizer.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdlib>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

#ifdef ENABLE_FP32
typedef float floatX;
#else
typedef __nv_bfloat16 floatX;
#endif

// Adds up the embeddings of all tokens, a block for each token.
__global__ void encoder_forward(floatX *out, const int *tokens, const floatX *embeddings, int channels) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float sum = 0;
  for (int i = warp.thread_rank(); i < channels; i += warp.size())
    sum += (float)embeddings[tokens[blockIdx.x] * channels + i];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0)
    out[blockIdx.x] = (floatX)sum;
}

int main(int, char **arguments) {
  std::vector<int> input = tokens(std::atoi(arguments[1]));
  const int vocabulary = 50, channels = 64;
  floatX *out, *embeddings;
  int *device_tokens;
  cudaMalloc(&out, input.size() * sizeof *out);
  cudaMalloc(&embeddings, vocabulary * channels * sizeof *embeddings);
  cudaMalloc(&device_tokens, input.size() * sizeof(int));
  cudaMemset(embeddings, 0, vocabulary * channels * sizeof *embeddings);
  cudaMemcpy(device_tokens, input.data(), input.size() * sizeof(int), cudaMemcpyHostToDevice);
  encoder_forward<<<input.size(), 32>>>(out, device_tokens, embeddings, channels);
  return cudaDeviceSynchronize();
}
