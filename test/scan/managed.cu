// Sources with __managed__ variables and with gasan's own header compile, and their accesses have verdicts.
// RUN: %verdicts %s 2>&1 | FileCheck %s
// RUN: not %verdicts -DBUG %s 2>&1 | FileCheck --check-prefix=BUG %s
#include <gasan/gasan.h>

__managed__ int totals[16];

__global__ void add(int count) {
  int i = threadIdx.x;
  if (i < count)
    totals[i] += i;
  // CHECK: managed.cu:[[#@LINE-1]]:{{.*}}proven
  // BUG-DAG: managed.cu:[[#@LINE-2]]:{{.*}} possible global-buffer-overflow
  // BUG-DAG: READ of size 4 0 bytes after 64-byte global variable 'totals', by thread (16,0,0)
}

int main() {
#ifdef BUG
  add<<<1, 32>>>(17);
#else
  add<<<1, 32>>>(16);
#endif
  return cudaDeviceSynchronize();
}
