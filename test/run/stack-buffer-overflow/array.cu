// An access one element past a local array, in a function that is not inlined and gets the array's address.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__device__ __noinline__ int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    // CHECK: ERROR: AddressSanitizer: stack-buffer-overflow
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // CHECK-NEXT: #0 sum(int const*, int) {{.*}}array.cu:[[#@LINE+1]]:
    total += values[i];
  return total;
}

__global__ void histogram(int *result, int count) {
  // CHECK: is located 0 bytes after {{.*}}'bins' {{.*}}of size 32
  int bins[8];
  for (int i = 0; i < 8; ++i)
    bins[i] = i + threadIdx.x;
  result[threadIdx.x] = sum(bins, count);
}

int main() {
  int *result;
  cudaMalloc(&result, 32 * sizeof *result);
#ifdef FIXED
  histogram<<<1, 32>>>(result, 8);
#else
  histogram<<<1, 32>>>(result, 9);
#endif
  int last = 0;
  cudaMemcpy(&last, result + 31, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(result);
  return last != 28 + 8 * 31;
}
