// fgets ends at the end of its file, so that code behind its loop is executed. A line has one number; others may have
// other numbers.
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

__global__ void compare(int *p, const int *numbers) {
  // CHECK: lines.cu:[[@LINE+3]]:14: write in compare(int*, int const*): possible
  // FIXED: lines.cu:[[@LINE+2]]:14: write in compare(int*, int const*): proven
  if (numbers[0] != numbers[1]) // two lines may have different numbers
    p[kMore] = 1;
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

  int numbers[64], *copied;
  for (int i = 0; i < 64; i++) {
    fgets(line, sizeof line, file);
    numbers[i] = atoi(line);
  }
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&copied, sizeof numbers);
  cudaMemcpy(copied, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  compare<<<1, 1>>>(p, copied);
}
