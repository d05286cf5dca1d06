/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Path compression of a union-find forest, after Indigo: parents come from a file, and nothing checks them.
#include <cstdio>
#include <cstdlib>

__global__ void compress(int *label, const int *parent, const int *start, int vertices) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices)
    return;
  int p = parent[v];
#ifdef FIXED
  if (p < 0 || p >= vertices)
    return;
#endif
  int next = parent[p]; // BUG
#ifdef FIXED
  if (next < 0 || next >= vertices)
    return;
#endif
  int root = start[next]; // BUG
#ifdef FIXED
  if (root < 0 || root >= vertices)
    return;
#endif
  label[root] = v; // BUG
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  FILE *file = fopen(argv[1], "rb");
  int vertices;
  if (!file || fread(&vertices, sizeof vertices, 1, file) != 1 || vertices < 1 || vertices > 1 << 20)
    return 2;
  int *h_parent = (int *)malloc(vertices * sizeof(int)), *h_start = (int *)malloc(vertices * sizeof(int));
  fread(h_parent, sizeof(int), vertices, file);
  fread(h_start, sizeof(int), vertices, file);
  int *parent, *start, *label;
  cudaMalloc(&parent, vertices * sizeof(int));
  cudaMalloc(&start, vertices * sizeof(int));
  cudaMalloc(&label, vertices * sizeof(int));
  cudaMemcpy(parent, h_parent, vertices * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(start, h_start, vertices * sizeof(int), cudaMemcpyHostToDevice);
  compress<<<(vertices + 255) / 256, 256>>>(label, parent, start, vertices);
  cudaDeviceSynchronize();
  cudaFree(parent);
  cudaFree(start);
  cudaFree(label);
  free(h_parent);
  free(h_start);
}
