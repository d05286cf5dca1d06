// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %options=halt_on_error=0 %exit=4 %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Recursion deeper than a thread's stack is reported. cudaLimitStackSize makes the stacks larger. On CUDA the program
// gets only an error code.
__device__ __noinline__ int sum(const int *values, int count) {
  volatile int kept[64];
  for (int i = 0; i < 64; ++i)
    kept[i] = i;
  if (count == 0)
    return kept[3] - 3;
  // CHECK: ERROR: AddressSanitizer: stack-overflow on cpu device 0 address 0x
  // CHECK-NEXT: device thread (7,0,0) block (1,0,0) has used up its stack of 262144 bytes here:
  // CHECK-NEXT: #0 sum(int const*, int) /{{.*}}recursion.cu:
  // CHECK-NEXT: #1 sum(int const*, int) /{{.*}}recursion.cu:[[#@LINE+1]]:
  return values[count - 1] + sum(values, count - 1) + kept[count % 64] - count % 64;
}

__global__ void sums(const int *values, int *results) {
  int depth = threadIdx.x == 7 && blockIdx.x == 1 ? 1500 : 10;
  results[threadIdx.x] = sum(values, depth);
}

int main() {
  int *values, *results;
  cudaMalloc(&values, 1500 * sizeof(int));
  cudaMalloc(&results, 32 * sizeof(int));
  cudaMemset(values, 0, 1500 * sizeof(int));
#ifdef FIXED
  if (cudaDeviceSetLimit(cudaLimitStackSize, 500 << 10) != cudaSuccess)
    return 7;
#endif
  // CHECK: cudaDeviceSetLimit(cudaLimitStackSize, bytes)
  // CHECK: sums(int const*, int*)<<<2, 32>>> launched here by host thread T0:
  // CHECK-NEXT: #0 {{.*}} in main {{.*}}recursion.cu:[[#@LINE+1]]
  sums<<<2, 32>>>(values, results);
  // CHECK: SUMMARY: AddressSanitizer: stack-overflow {{.*}}recursion.cu:{{.*}} in sum(int const*, int){{$}}
  cudaError_t error = cudaDeviceSynchronize();
  if (error == cudaErrorHardwareStackError)
    return 4;
  cudaFree(values);
  cudaFree(results);
  return error == cudaSuccess ? 0 : 5;
}
