// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// One frame larger than the stack and its guard page, in threads next to others that wait at a barrier.
// CHECK: ERROR: AddressSanitizer: stack-overflow on cpu device 0 address 0x
// CHECK-NEXT: device thread (3,1,0) block (0,0,0) has used up its stack
// CHECK: #0 pick(int, int) {{.*}}large-frame.cu:[[#@LINE+3]]:
// CHECK: SUMMARY: AddressSanitizer: stack-overflow {{.*}}large-frame.cu:{{.*}} in pick
__device__ __noinline__ int pick(int at, int count) {
  int *table = static_cast<int *>(alloca(count * sizeof(int)));
  for (int i = 0; i < count; i += 100)
    table[i] = i;
  return reinterpret_cast<volatile int *>(table)[at];
}

__global__ void pickAll(int *results, int large) {
  __syncthreads();
  bool chosen = threadIdx.x == 3 && threadIdx.y == 1;
  results[threadIdx.y * blockDim.x + threadIdx.x] = pick(100, chosen ? large : 1000);
  __syncthreads();
}

int main() {
  int *results;
  cudaMalloc(&results, 64 * sizeof(int));
#ifdef FIXED
  pickAll<<<1, dim3(8, 8)>>>(results, 10000);
#else
  pickAll<<<1, dim3(8, 8)>>>(results, 1 << 20);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(results);
  return error != cudaSuccess;
}
