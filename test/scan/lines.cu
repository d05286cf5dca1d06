// fgets ends at the end of its file, so that code behind its loop is executed. Each line has one number.
// RUN: not %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef FIXED
constexpr int kMore = 0;
#else
constexpr int kMore = 1;
#endif

__global__ void fill_line(int *p, int n) {
  // CHECK: lines.cu:[[@LINE+3]]:20: write in fill_line(int*, int): possible heap-buffer-overflow
  // FIXED: lines.cu:[[@LINE+2]]:20: write in fill_line(int*, int): proven
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}

__global__ void fill_token(int *p, int n) {
  // CHECK: lines.cu:[[@LINE+3]]:20: write in fill_token(int*, int): unknown (a number in a text
  // FIXED: lines.cu:[[@LINE+2]]:20: write in fill_token(int*, int): unknown (a number in a text
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "r");
  int *p, lines = 0;
  char line[80];
  while (fgets(line, sizeof line, file))
    lines++;
  cudaMalloc(&p, 4 * sizeof(int));
  fill_line<<<1, 128>>>(p, 4 + kMore);

  const char *token = strtok(argv[2], ","); // a text without a name
  cudaMalloc(&p, (atoi(token) & 255) * sizeof(int));
  fill_token<<<1, 128>>>(p, atoi(token) & 255);

  while (fgets(line, sizeof line, file))
    if (const int number = atoi(line); number > 0) {
      cudaMalloc(&p, number * sizeof(int));
      fill_line<<<1, 128>>>(p, atoi(line));
    }
}
