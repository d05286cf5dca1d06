// Functions that read a text of the user's agree about it: the same text has one number, one length and one content.
// RUN: not %verdicts %s > %t 2>&1
// RUN: FileCheck %s < %t
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>
#include <cstring>

#ifdef FIXED
constexpr int kMore = 0;
#else
constexpr int kMore = 1;
#endif

// CHECK: possible heap-buffer-overflow for argv[1] is "large"
// CHECK-NEXT: WRITE of size 4
// CHECK: possible heap-buffer-overflow for {{.*}}argv[{{[56]}}] is "far"
// CHECK-NEXT: WRITE of size 4

__global__ void fill(int *p, int n) {
  // CHECK: texts.cu:[[@LINE+2]]:18: write in fill(int*, int): possible heap-buffer-overflow
  // FIXED: texts.cu:[[@LINE+1]]:18: write in fill(int*, int): proven
  p[threadIdx.x] = n;
}

__global__ void fill_number(int *p, int n) {
  // CHECK: texts.cu:[[@LINE+3]]:20: write in fill_number(int*, int): proven
  // FIXED: texts.cu:[[@LINE+2]]:20: write in fill_number(int*, int): proven
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}

__global__ void fill_length(char *p, size_t n) {
  // CHECK: texts.cu:[[@LINE+3]]:20: write in fill_length(char*, unsigned long): proven
  // FIXED: texts.cu:[[@LINE+2]]:20: write in fill_length(char*, unsigned long): proven
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}

__global__ void fill_word(int *p) {
  // CHECK: texts.cu:[[@LINE+2]]:18: write in fill_word(int*): proven
  // FIXED: texts.cu:[[@LINE+1]]:18: write in fill_word(int*): proven
  p[threadIdx.x] = 1;
}

__global__ void fill_chosen(int *p, int i) {
  // CHECK: texts.cu:[[@LINE+2]]:8: write in fill_chosen(int*, int): possible heap-buffer-overflow
  // FIXED: texts.cu:[[@LINE+1]]:8: write in fill_chosen(int*, int): proven
  p[i] = 1;
}

static char **words;

static bool chosen(const char *word) {
  for (char **each = words; *each; ++each)
    if (!strcmp(*each, word))
      return true;
  return false;
}

int main(int argc, char **argv) {
  int *p;
  char *text;
  if (argc < 5)
    return 2;
  int size = 256, threads = 128; // one of two words
  if (!strcmp(argv[1], "small"))
    size = 16, threads = 16;
  if (!strcmp(argv[1], "large"))
    threads = 256 + kMore;
  cudaMalloc(&p, size * sizeof(int));
  fill<<<1, threads>>>(p, size);

  const int n = atoi(argv[2]), m = atoi(argv[2]); // one number, also of getenv()
  if (n < 1 || n > 1000)
    return 2;
  cudaMalloc(&p, n * sizeof(int));
  fill_number<<<1, 128>>>(p, m);
  const char *first = getenv("THREADS"), *second = getenv("THREADS");
  if (!first || atoi(first) < 1)
    return 2;
  cudaMalloc(&p, atoi(first) * sizeof(int));
  fill_number<<<1, 128>>>(p, atoi(second));

  const size_t length = strlen(argv[3]); // one length
  cudaMalloc(&text, length + 1);
  fill_length<<<1, 128>>>(text, strlen(argv[3]));

  int count = strncmp(argv[4], "1", 1) ? 8 : 16; // a text with a 7 has no 1
  const int seven = !strcmp(argv[4], "7") ? 2 : 1;
  cudaMalloc(&p, count * sizeof(int));
  fill_word<<<1, count * seven / (atoi(argv[4]) == 7 ? 2 : 1)>>>(p);

  words = argv + 5; // a loop over the other arguments
  cudaMalloc(&p, 4 * sizeof(int));
  fill_chosen<<<1, 1>>>(p, chosen("far") ? 3 + kMore : 3);
}
