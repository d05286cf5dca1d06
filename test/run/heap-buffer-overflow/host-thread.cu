// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The main thread allocates; another thread launches the kernel into its own stream. The report names both threads.
#include <thread>

__global__ void fill(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 fill(int*) {{.*}}host-thread.cu:[[#@LINE+1]]:
  values[threadIdx.x] = 1;
}

static void work(int *values, int threads) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  fill<<<1, threads, 0, stream>>>(values);
  // CHECK-NEXT: #1 fill(int*)<<<1, 65>>> launched here by host thread T1:
  // CHECK-NEXT: in work(int*, int) {{.*}}host-thread.cu:[[#@LINE-2]]:
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

int main() {
  int *values;
  cudaMalloc(&values, 64 * sizeof(int));
  // CHECK: allocated by host thread T0 here:
  // CHECK: in main {{.*}}host-thread.cu:[[#@LINE-2]]:
#ifdef FIXED
  std::thread worker(work, values, 64);
#else
  std::thread worker(work, values, 65);
#endif
  worker.join();
  cudaFree(values);
}
