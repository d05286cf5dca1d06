// A function returns the address of its local variable, and the caller uses it.
// RUN: %gasan -O2 -Wno-return-stack-address %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 -Wno-return-stack-address %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__device__ __noinline__ int *largest(int *caller, int seed) {
#ifdef FIXED
  int *values = caller;
#else
  int values[4];
#endif
  for (int i = 0; i < 4; ++i)
    values[i] = seed + i;
  return values + 3;
}

__global__ void pick(int *result) {
  int own[4];
  // CHECK: ERROR: AddressSanitizer: stack-use-after-return
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 pick(int*) {{.*}}address.cu:[[#@LINE+1]]:
  result[threadIdx.x] = *largest(own, threadIdx.x);
}

int main() {
  int *result;
  cudaMalloc(&result, 32 * sizeof *result);
  pick<<<1, 32>>>(result);
  int last = 0;
  cudaMemcpy(&last, result + 31, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(result);
  return last != 34;
}
