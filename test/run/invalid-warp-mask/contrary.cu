// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 1 2>&1 | FileCheck %s --check-prefix=UNCHECKED
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed 1 2>&1 >/dev/null | %silent
// Two lanes have each other in their masks, but the masks differ: each lane waits forever for the other with its own
// mask. The block's other warp polls, so that no deadlock is detected. Also a mask without its caller, in code without
// checks, which the CPU device detects.
__device__ __noinline__ int fromFirst(unsigned mask, int value) {
  return __shfl_sync(mask, value, 0);
}

__global__ void halves(int *values, volatile int *done) {
  int lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    while (!*done)
      __nanosleep(100);
    return;
  }
#ifdef FIXED
  unsigned mask = lane < 16 ? 0x0000ffff : 0xffff0000;
#else
  unsigned mask = lane < 16 ? 0x0001ffff : 0xffff0001;
#endif
  // CHECK: ERROR: AddressSanitizer: invalid-warp-mask on cpu device 0: lanes 16 and 0 call __shfl_sync
  // CHECK-SAME: {{^}} with the masks 0xffff0001 and 0x0001ffff, which both name both lanes
  // CHECK-NEXT: CALL by device thread (16,0,0) block (0,0,0) lane 16
  // CHECK: #{{[0-9]+}} fromFirst(unsigned int, int) {{.*}}contrary.cu:13:
  // CHECK-NEXT: halves{{.*}}contrary.cu:[[#@LINE+5]]:
  // CHECK: CALL by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK: #{{[0-9]+}} fromFirst(unsigned int, int) {{.*}}contrary.cu:13:
  // CHECK-NEXT: halves{{.*}}contrary.cu:[[#@LINE+2]]:
  // CHECK: halves(int*, int volatile*)<<<1, 64>>> launched here by host thread T0:
  values[threadIdx.x] = fromFirst(mask, lane);
  *done = 1;
}

__attribute__((no_sanitize("address"))) __global__ void unchecked(unsigned mask, int *values) {
  int lane = threadIdx.x % 32, first;
  // UNCHECKED: ERROR: AddressSanitizer: invalid-warp-mask on cpu device 0: lane 16 calls __shfl_sync
  // UNCHECKED-SAME: {{^}} with the mask 0x0000ffff, which does not contain this lane
  // UNCHECKED-NEXT: CALL by device thread (16,0,0) block (0,0,0) lane 16
  // UNCHECKED-NEXT: #0 unchecked {{.*}}contrary.cu:[[#@LINE+2]]:
  // UNCHECKED: SUMMARY: AddressSanitizer: invalid-warp-mask {{.*}}contrary.cu:[[#@LINE+1]]:{{[0-9]+}} in unchecked
  asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, %2;" : "=r"(first) : "r"(lane), "r"(mask));
  values[threadIdx.x] = first;
}

int main(int argc, char **) {
  int *values, *done;
  cudaMalloc(&values, 64 * sizeof(int));
  cudaMalloc(&done, sizeof(int));
  cudaMemset(done, 0, sizeof(int));
  if (argc == 1)
    halves<<<1, 64>>>(values, done);
  else
#ifdef FIXED
    unchecked<<<1, 64>>>(0xffffffff, values);
#else
    unchecked<<<1, 64>>>(0x0000ffff, values);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  cudaFree(done);
  return error == cudaSuccess ? 0 : error == cudaErrorLaunchFailure ? 4 : 5;
}
