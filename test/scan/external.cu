// Functions of other files, which are not scanned, may change variables whose addresses they got, and global ones.
// RUN: %verdicts -DSTORE %s 2>&1 | FileCheck %s
// RUN: %verdicts -DLATER %s 2>&1 | FileCheck %s
// RUN: %verdicts -DGLOBAL %s 2>&1 | FileCheck %s
// RUN: %verdicts %s 2>&1 | FileCheck %s --check-prefix=FIXED
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void write(int *p, int i) {
  // CHECK: external.cu:[[@LINE+2]]:8: write in write(int*, int): unknown (memory that {{.*}}
  // FIXED: external.cu:[[@LINE+1]]:8: write in write(int*, int): proven
  p[i] = 1;
}

extern int *same(int *);
extern void later();
extern int global;

int main() {
  int *p, index = 1;
  cudaMalloc(&p, 4 * sizeof(int));
  int *alias = same(&index);
  index = 3;
  global = 3;
#ifdef STORE
  *alias = 100;
#elif defined(LATER)
  later();
#endif
#ifdef GLOBAL
  later();
  index = global;
#endif
  printf("%d %ld\n", index, long(clock())); // functions of the system know no variable of the program
  write<<<1, 1>>>(p, index);
  return alias == p;
}
