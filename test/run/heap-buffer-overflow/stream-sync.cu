// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A kernel in a stream: cudaStreamSynchronize reports its fault.
__global__ void fill(int *values, int value) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4 {{.*}} by device thread (32,0,0)
  // CHECK-NEXT: #0 fill(int*, int) {{.*}}stream-sync.cu:[[#@LINE+1]]:
  values[threadIdx.x] = value;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int *values;
  cudaMalloc(&values, 32 * sizeof(int));
  fill<<<1, 32, 0, stream>>>(values, 1);
#ifndef FIXED
  fill<<<1, 33, 0, stream>>>(values, 2);
  // CHECK: fill(int*, int)<<<1, 33>>> launched here
  // CHECK-NEXT: in main {{.*}}stream-sync.cu:[[#@LINE-2]]:
#endif
  cudaError_t error = cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(values);
  return error != cudaSuccess;
}
