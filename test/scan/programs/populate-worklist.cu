/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fills a worklist, after Indigo: the number of entries is the sum of a file's flags, and the list has a fixed length.
#include <cstdio>
#include <cstdlib>

__global__ void populate(const int *place, const int *next, int *worklist, int vertices, int length) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices)
    return;
  int at = place[v];
#ifdef FIXED
  if (at < 0 || at >= length)
    return;
#endif
  worklist[at] = v; // BUG
  int n = next[v];
#ifdef FIXED
  if (n < 0 || n >= length)
    return;
#endif
  worklist[n] = -v; // BUG
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  FILE *file = fopen(argv[1], "r");
  int vertices, length;
  if (!file || fscanf(file, "%d %d", &vertices, &length) != 2)
    return 2;
  if (vertices < 1 || vertices > 1 << 20 || length < 1 || length > 1 << 20)
    return 2;
  int *h_place = new int[vertices], *h_next = new int[vertices];
  fread(h_place, sizeof(int), vertices, file);
  fread(h_next, sizeof(int), vertices, file);
  int *place, *next, *worklist;
  cudaMalloc(&place, vertices * sizeof(int));
  cudaMalloc(&next, vertices * sizeof(int));
  cudaMalloc(&worklist, length * sizeof(int));
  cudaMemcpy(place, h_place, vertices * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(next, h_next, vertices * sizeof(int), cudaMemcpyHostToDevice);
  populate<<<(vertices + 127) / 128, 128>>>(place, next, worklist, vertices, length);
  cudaDeviceSynchronize();
  cudaFree(place);
  cudaFree(next);
  cudaFree(worklist);
  delete[] h_place;
  delete[] h_next;
}
