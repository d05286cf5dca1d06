// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O0 %s -o %t.unoptimised
// RUN: not %run %t.unoptimised 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Half of each warp waits at __syncthreads, the other half for all lanes of the warp: a deadlock, which the CPU device
// reports. On a GPU the kernel never ends.
__device__ __noinline__ int fromLane3(int value) {
  return __shfl_sync(0xffffffff, value, 3);
}

__global__ void exchange(int *values) {
  int lane = threadIdx.x % 32;
#ifdef FIXED
  __syncthreads();
  values[threadIdx.x] = fromLane3(lane);
#else
  if (threadIdx.x == 63)
    return;
  if (lane < 16)
    // CHECK: ERROR: AddressSanitizer: barrier-deadlock on cpu device 0: 63 threads of block ({{[01]}},0,0) wait,
    // CHECK-SAME: {{^}} and none can go on
    // CHECK-NEXT: device thread (0,0,0) and 31 more wait at barrier 0 for all threads of the block:
    // CHECK-NEXT: #0 exchange{{.*}}divergent-sync.cu:[[#@LINE+1]]:
    __syncthreads();
  else
    // CHECK: device thread (16,0,0) and 15 more wait in a warp operation for the lanes 0xffffffff:
    // CHECK: fromLane3(int) {{.*}}divergent-sync.cu:[[#@LINE-19]]:
    // CHECK-NEXT: exchange{{.*}}divergent-sync.cu:[[#@LINE+1]]:
    values[threadIdx.x] = fromLane3(lane);
  // CHECK: device thread (48,0,0) and 14 more wait in a warp operation for the lanes 0x7fffffff:
  // CHECK: 1 thread of the block has ended and is not waited for
#endif
}

int main() {
  int *values;
  cudaMalloc(&values, 128 * sizeof(int));
  // CHECK: exchange(int*)<<<2, 64>>> launched here by host thread T0:
  // CHECK-NEXT: #0 {{.*}} in main {{.*}}divergent-sync.cu:[[#@LINE+1]]
  exchange<<<2, 64>>>(values);
  // CHECK: SUMMARY: AddressSanitizer: barrier-deadlock {{.*}}divergent-sync.cu:{{[0-9]+}}:{{[0-9]+}} in exchange
  cudaError_t error = cudaDeviceSynchronize();
  return error == cudaSuccess ? 0 : error == cudaErrorLaunchFailure ? 4 : 5;
}
