// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// REQUIRES: cpu
// A bad access ends a thread, which counts as arrived at barriers. The block reaches its second bug, a barrier for more
// threads than the block has. The bad access is reported first, because it may have caused the wait.
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 shift(int*) {{.*}}fault-is-first.cu:[[#@LINE+16]]:
// CHECK-NOT: AddressSanitizer: barrier-deadlock
// ALL: ERROR: AddressSanitizer: heap-buffer-overflow
// ALL: #0 shift(int*) {{.*}}fault-is-first.cu:[[#@LINE+13]]:
// ALL: SUMMARY: AddressSanitizer: heap-buffer-overflow
// ALL: ERROR: AddressSanitizer: barrier-deadlock on cpu device 0: 31 threads of block (0,0,0) wait
// ALL: device thread (0,0,0) and 30 more wait at barrier 3 for 96 threads, 31 of which have come:
// ALL: #0 shift {{.*}}fault-is-first.cu:[[#@LINE+10]]:
// ALL: 33 threads of the block have ended and are not waited for
__global__ void shift(int *values) {
  __syncthreads();
  int i = threadIdx.x;
#ifdef FIXED
  values[i] = i;
  asm volatile("barrier.sync 3, 64;" ::: "memory");
#else
  values[i + (i >= 31 ? 64 : 0)] = i;
  asm volatile("barrier.sync 3, 96;" ::: "memory");
#endif
}

int main() {
  int *values;
  cudaMalloc(&values, 64 * sizeof(int));
  shift<<<1, 64>>>(values);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error == cudaSuccess ? 0 : 4;
}
