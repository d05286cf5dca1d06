// A loop over argv ends at its NULL, so its function may return false: the second kernel is not unreachable.
// RUN: %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#ifdef FIXED
constexpr int kSize = 5;
#else
constexpr int kSize = 4;
#endif

__global__ void first(int *p, int i) {
  p[i] = 1;
}

__global__ void second(int *p, int i) {
  // CHECK: arguments.cu:[[@LINE+2]]:8: write in second(int*, int): unknown (the number of arguments that a loop reads)
  // FIXED: arguments.cu:[[@LINE+1]]:8: write in second(int*, int): proven
  p[i] = 1;
}

static bool chosen(char **words, char letter) {
  for (char **each = words; *each; ++each)
    if (**each == letter)
      return true;
  return false;
}

int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, kSize * sizeof(int));
  if (chosen(argv, 'a'))
    first<<<1, 1>>>(p, 1);
  else
    second<<<1, 1>>>(p, argc > 100 ? 4 : 1);
}
