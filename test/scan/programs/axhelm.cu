/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The Helmholtz operator on elements of (n + 1)^3 nodes, after HeCBench's axhelm: a block has 8 x 8 threads for each
// order n.
#include <cstdlib>

constexpr int kNodes = 8;

__global__ void axhelm(int nodes, const float *D, const float *q, float *Aq) {
  __shared__ float s_D[kNodes][kNodes];
  const int i = threadIdx.x, j = threadIdx.y;
  const size_t e = blockIdx.x;
#ifdef FIXED
  if (i >= nodes || j >= nodes)
    return;
#endif
  s_D[j][i] = D[j * kNodes + i]; // BUG
  float sum = 0;
  for (int k = 0; k < nodes; k++)
    sum += q[((e * nodes + k) * nodes + j % nodes) * nodes + i % nodes] * s_D[j][i];
  Aq[(e * kNodes + j) * kNodes + i] = sum; // BUG
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const int order = atoi(argv[1]), elements = atoi(argv[2]);
  if (order < 1 || order > 7 || elements < 1 || elements > 4096)
    return 2;
  const int nodes = order + 1;
  float *D, *q, *Aq;
  cudaMalloc(&q, sizeof(float) * elements * nodes * nodes * nodes);
#ifdef FIXED
  cudaMalloc(&D, sizeof(float) * kNodes * kNodes);
  cudaMalloc(&Aq, sizeof(float) * elements * kNodes * kNodes);
#else
  cudaMalloc(&D, sizeof(float) * nodes * nodes);
  cudaMalloc(&Aq, sizeof(float) * elements * nodes * nodes);
#endif
  cudaMemset(D, 0, sizeof(float) * nodes * nodes);
  axhelm<<<elements, dim3(kNodes, kNodes)>>>(nodes, D, q, Aq);
  cudaDeviceSynchronize();
  cudaFree(D);
  cudaFree(q);
  cudaFree(Aq);
}
