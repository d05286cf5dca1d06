// Correct loops: a number that doubles until it ends the loop, and a vector that grows in a loop. An overflowed number,
// or a vector without elements, would be false witnesses.
// RUN: %verdicts --quiet %s 2>&1 | FileCheck %s --implicit-check-not=ERROR
// CHECK: 0 possible
#include <cstring>
#include <vector>

__constant__ float table[512];

__global__ void step(float *out, int n) {
  int t = threadIdx.x;
  for (int half = 1; half < n; half *= 2) {
    int k = t & (half - 1);
    out[t] += table[k * (512 / half)];
  }
}

__global__ void add(int *values, int count) {
  int i = threadIdx.x;
  if (i < count)
    values[i]++;
}

int main(int argc, char **argv) {
  bool full = argc > 1 && !strcmp(argv[1], "full");
  int n = full ? 1024 : 128, count = full ? 24 : 10;
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  step<<<1, n / 2>>>(out, n);
  std::vector<int> numbers;
  for (int i = 0; i < count; i++)
    numbers.push_back(i);
  int *values;
  cudaMalloc(&values, numbers.size() * sizeof(int));
  add<<<1, 32>>>(values, count);
}
