// A program whose sizes are constants unless arguments name others. The hunt looks at the program without arguments
// separately: the loop over argv, and the text behind a number, hide the bug else. The host's long loop is not
// unrolled.
// RUN: not %verdicts -DBUG %s 2>&1 | FileCheck %s --check-prefix=BUG
// RUN: %verdicts %s 2>&1 | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static int parse(int count, char **texts) {
  int size = 500;
  for (int i = 1; i < count; i++) {
    char *end = nullptr;
    if (strcmp(texts[i], "--size") || i + 1 == count)
      exit(2);
    size = int(strtol(texts[++i], &end, 10));
    if (*end || size < 1 || size > 1 << 20)
      exit(2);
  }
  return size;
}

// BUG: possible heap-buffer-overflow for argc = 1
// BUG-NEXT: READ of size 4 {{[0-9]+}} bytes after 2000-byte 'in'
// BUG-NEXT: #0 in sum {{.*}}no-arguments.cu:[[#@LINE+8]]:
__global__ void sum(const float *in, float *out, int n) {
  __shared__ float tile[128];
  for (int first = 0; first < n; first += 128) {
    int i = first + threadIdx.x;
#ifndef BUG
    if (i < n)
#endif
      tile[threadIdx.x] = in[i];
    __syncthreads();
    if (threadIdx.x == 0)
      *out += tile[0];
    __syncthreads();
  }
}

__global__ void one(float *out) {
  *out = 1;
}

// Correct: without an argument the program ends before the launch.
static void needsArgument(int count, char **texts) {
  const std::string text(texts[1]);
  const int size = count > 1 ? 64 : 1;
  float *out;
  cudaMalloc(&out, size * sizeof(float));
  one<<<1, 1>>>(out + 63);
}

int main(int count, char **texts) {
  const int n = parse(count, texts);
  std::vector<float> host(n);
  unsigned noise = 1;
  for (int i = 0; i < 40000; i++) {
    noise = noise * 1664525u + 1013904223u;
    host[noise % n] += 1;
  }
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  sum<<<1, 128>>>(in, out, n);
  needsArgument(count, texts);
}

// CHECK: 0 possible
// BUG: 1 possible
