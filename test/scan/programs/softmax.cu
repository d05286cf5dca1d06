/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Softmax of rows, after llm.c: the warps' maxima and sums are two arrays in dynamic shared memory.
#include <cstdlib>

#ifdef FIXED
constexpr int kShift = 0;
#else
constexpr int kShift = 1;
#endif

__global__ void softmax(float *out, const float *in, int rows, int columns) {
  extern __shared__ float shared[];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float *maxima = shared;
  float *sums = &shared[warps];
  const float *x = in + size_t(blockIdx.x) * columns;
  float largest = -1e30f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    largest = fmaxf(largest, x[i]);
  if (lane == 0)
    maxima[warp + kShift] = largest; // BUG
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = maxima[0];
    for (int i = 1; i < warps; i++)
      all = fmaxf(all, maxima[i + kShift]); // BUG
    maxima[0] = all;
  }
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += expf(x[i] - maxima[0]);
  if (lane == 0)
    sums[warp + kShift] = sum; // BUG
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[size_t(blockIdx.x) * columns + i] = expf(x[i] - maxima[0]) / sums[0];
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int rows = atoi(argv[1]), columns = atoi(argv[2]), block = atoi(argv[1]) > 64 ? 256 : 128;
  if (rows < 1 || rows > 65536 || columns < 1 || columns > 65536)
    return 2;
  float *in, *out;
  cudaMalloc(&in, size_t(rows) * columns * sizeof(float));
  cudaMalloc(&out, size_t(rows) * columns * sizeof(float));
  softmax<<<rows, block, 2 * (block / 32) * sizeof(float)>>>(out, in, rows, columns);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
