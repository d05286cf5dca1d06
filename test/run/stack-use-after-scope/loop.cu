// A kernel uses a pointer to a variable of a loop's body after the loop.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 >/dev/null | %golden | FileCheck %s
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void last(int *volatile *slots, int *result, int count) {
  int *volatile *slot = &slots[threadIdx.x];
  int kept[4] = {0, 1, 2, 3};
  for (int i = 0; i < count; ++i) {
    int values[4] = {i, i + 1, i + 2, i + 3};
    *slot = values;
    kept[i % 4] += (*slot)[3];
#ifdef FIXED
    *slot = kept;
#endif
  }
  // CHECK: ERROR: AddressSanitizer: stack-use-after-scope
  // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // CHECK-NEXT: #0 last(int* volatile*, int*, int) {{.*}}loop.cu:[[#@LINE+1]]:
  result[threadIdx.x] = (*slot)[1];
}

int main() {
  int *volatile *slots;
  int *result;
  cudaMalloc(&slots, 32 * sizeof *slots);
  cudaMalloc(&result, 32 * sizeof *result);
  last<<<1, 32>>>(slots, result, 4);
  int value = 0;
  cudaMemcpy(&value, result + 31, sizeof value, cudaMemcpyDeviceToHost);
  cudaFree((void *)slots);
  cudaFree(result);
  return value != 5;
}
