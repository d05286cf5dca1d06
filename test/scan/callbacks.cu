// A library may call a function that it gets: then a launch in that function counts, too.
// RUN: %verdicts -DSORT %s 2>&1 | FileCheck %s
// RUN: %verdicts -DEXIT %s 2>&1 | FileCheck %s
// RUN: %verdicts -DDESTRUCTOR %s 2>&1 | FileCheck %s
// RUN: %verdicts %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdlib>
#include <iostream> // registers a destructor without code here

__global__ void write(int *p, int i) {
  // CHECK: callbacks.cu:[[@LINE+2]]:8: write in write(int*, int): unknown (
  // FIXED: callbacks.cu:[[@LINE+1]]:8: write in write(int*, int): proven
  p[i] = 1;
}

static int *p;
static int comparisons = 0, count = 2;

static int compare(const void *, const void *) {
#ifdef SORT
  write<<<1, 1>>>(p, 4);
#endif
  return ++comparisons & 1;
}

static void at_exit() {
#ifdef EXIT
  write<<<1, 1>>>(p, 4);
#endif
}

struct Late {
  ~Late() {
#ifdef DESTRUCTOR
    write<<<1, 1>>>(p, 4);
#endif
  }
};
static Late late;

int main() {
  int numbers[] = {3, 1, 2};
  cudaMalloc(&p, 4 * sizeof(int));
  atexit(at_exit);
  qsort(numbers, 3, sizeof(int), compare);
  write<<<1, 1>>>(p, count);
}
