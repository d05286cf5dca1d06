/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Pushes a vertex's value to its neighbours, after Indigo: the neighbours come from a graph's file.
#include <cstdio>
#include <cstdlib>

__global__ void push(const int *nindex, const int *nlist, int *data1, const int *data2, int vertices, int edges) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < vertices) {
    for (int j = nindex[i]; j < nindex[i + 1]; j++) {
#ifdef FIXED
      if (j < 0 || j >= edges)
        break;
#endif
      int neighbor = nlist[j]; // BUG
#ifdef FIXED
      if (neighbor < 0 || neighbor >= vertices)
        break;
#endif
      atomicMin(&data1[neighbor], data2[i]); // BUG
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  FILE *file = fopen(argv[1], "r");
  int vertices, edges;
  if (!file || fscanf(file, "%d %d", &vertices, &edges) != 2)
    return 2;
  if (vertices < 1 || vertices > 1 << 20 || edges < 1 || edges > 1 << 24)
    return 2;
  int *h_index = new int[vertices + 1], *h_list = new int[edges];
  fread(h_index, sizeof(int), vertices + 1, file);
  fread(h_list, sizeof(int), edges, file);
  int *nindex, *nlist, *data1, *data2;
  cudaMalloc(&nindex, (vertices + 1) * sizeof(int));
  cudaMalloc(&nlist, edges * sizeof(int));
  cudaMalloc(&data1, vertices * sizeof(int));
  cudaMalloc(&data2, vertices * sizeof(int));
  cudaMemcpy(nindex, h_index, (vertices + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(nlist, h_list, edges * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(data1, 0, vertices * sizeof(int));
  cudaMemset(data2, 0, vertices * sizeof(int));
  push<<<(vertices + 255) / 256, 256>>>(nindex, nlist, data1, data2, vertices, edges);
  cudaDeviceSynchronize();
  for (int *p : {nindex, nlist, data1, data2})
    cudaFree(p);
  delete[] h_index;
  delete[] h_list;
}
