// Numbers that threads raise one after another: no fixed number of executions of the kernel shows the greatest one.
// RUN: %verdicts %s 2>&1 | FileCheck %s
// RUN: %verdicts -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED

__global__ void raise(int *counter, int *out) {
  int x = *counter;
  if (x < 100)
    *counter = x + 1;
#ifdef FIXED
  x = x < 0 || x > 5 ? 0 : x;
#endif
  // FIXED: threads.cu:[[@LINE+2]]:10: write in raise(int*, int*): proven
  // CHECK: threads.cu:[[@LINE+1]]:10: write in raise(int*, int*): unknown (memory
  out[x] = 1;
}

int main() {
  int *counter, *out;
  cudaMalloc(&counter, sizeof(int));
  cudaMalloc(&out, 6 * sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  raise<<<100, 1>>>(counter, out);
  cudaDeviceSynchronize();
}
// CHECK: 0 possible
// FIXED: 0 possible
