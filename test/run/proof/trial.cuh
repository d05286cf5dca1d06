// A kernel `to[i] += from[indices[i]]` of 1,000 elements, launched several times. From launch argv[1] on, the first
// index is one too large.
#pragma once
#include <cstdio>
#include <cstdlib>

constexpr int kElements = 1000;

// Calls launch(number, to, from, indices) for each of so many launches. All elements of `from` are 1, so each launch
// must add 1 to all of `to`. Returns 1 if an element is wrong, and prints how many are.
template <class Launch>
int run_launches(int argc, char **argv, int launches, Launch launch) {
  const int n = kElements, bug = argc > 1 ? atoi(argv[1]) : -1;
  float *to, *from;
  int *indices, host[n];
  cudaMalloc(&to, n * sizeof(float));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&indices, n * sizeof(int));
  float ones[n], result[n];
  for (int i = 0; i < n; i++) {
    host[i] = n - 1 - i;
    ones[i] = 1;
  }
  cudaMemcpy(from, ones, sizeof ones, cudaMemcpyHostToDevice);
  cudaMemcpy(indices, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof ones);
  for (int number = 0; number < launches; number++) {
    if (number == bug)
      cudaMemcpy(indices, &n, sizeof n, cudaMemcpyHostToDevice);
    launch(number, to, from, indices);
  }
  cudaMemcpy(result, to, sizeof result, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += result[i] != launches;
  const cudaError_t error = cudaGetLastError();
  printf("%d wrong, %s\n", wrong, error == cudaSuccess ? "no CUDA error" : cudaGetErrorName(error));
  return wrong != 0;
}
