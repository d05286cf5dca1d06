// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// libcu++'s atomics are inline PTX. The report's stack leads from its header to the line that uses the element past the
// end.
#include <cuda/atomic>

__global__ void count(unsigned long long *counters, int number) {
#ifdef FIXED
  int i = threadIdx.x % number;
#else
  int i = threadIdx.x % (number + 1);
#endif
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> counter(counters[i]);
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 8 at [[FAULT]] by device thread (10,0,0) block (0,0,0) lane 10
  // CHECK-SAME: {{^}} (and 4 more threads of this kernel)
  // CHECK-NEXT: #0 {{.*}}cuda/std/__atomic/
  // CHECK: #{{[0-9]+}} count(unsigned long long*, int) {{.*}}atomic-ref.cu:[[#@LINE+1]]:
  counter.fetch_add(3, cuda::memory_order_relaxed);
}

int main() {
  unsigned long long *counters, result[10] = {};
  cudaMalloc(&counters, sizeof result);
  cudaMemset(counters, 0, sizeof result);
  count<<<1, 60>>>(counters, 10);
  // CHECK: [[FAULT]] is located 0 bytes after 80-byte region
  // CHECK: in main {{.*}}atomic-ref.cu:[[#@LINE-4]]:
  cudaMemcpy(result, counters, sizeof result, cudaMemcpyDeviceToHost);
  for (unsigned long long value : result)
    if (value != 18)
      return 3;
  return 0;
}
