// Compilation with -c and a separate link with -lcudart, as in existing Makefiles. The report has lines even without
// -g.
// RUN: %gasan_clang -g0 -O2 -c %s -o %t.o
// RUN: %gasan %t.o -o %t -L%cuda/lib64 -lcudart
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan_clang -g0 -O2 -DFIXED -c %s -o %t.fixed.o
// RUN: %gasan %t.fixed.o -o %t.fixed -L%cuda/lib64 -lcudart_static -ldl -lrt -lpthread
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void fill(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 fill(int*) {{.*}}separate-link.cu:[[#@LINE+1]]:
  values[threadIdx.x] = 1;
}

int main() {
  int *values;
  cudaMalloc(&values, 32 * sizeof(int));
#ifdef FIXED
  fill<<<1, 32>>>(values);
#else
  fill<<<1, 33>>>(values);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  return error != cudaSuccess;
}
