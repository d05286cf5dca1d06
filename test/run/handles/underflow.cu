// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-pool=handles -o %t.fixed
// RUN: %options=pool=handles %run %t.fixed 2>&1 >/dev/null | %silent
// A pointer before a chunk's start has another id, by the borrow of the subtraction. The report still names this chunk.
__global__ void read(const long *values, long *result) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 8
  // CHECK-NEXT: #0 read(long const*, long*) {{.*}}underflow.cu:[[#@LINE+1]]:
  *result = values[-1];
}

int main() {
  long *before, *values, *result;
  cudaMalloc(&before, 8000);
  cudaMalloc(&values, 800);
  cudaMalloc(&result, sizeof *result);
  cudaMemset(values, 0, 800);
#ifdef FIXED
  values++;
#endif
  read<<<1, 1>>>(values, result);
  // CHECK: is located 8 bytes before 800-byte region
  // CHECK-NEXT: allocated by host thread T0 here:
  // CHECK: in main {{.*}}underflow.cu:[[#@LINE-9]]:
  return cudaDeviceSynchronize() != cudaSuccess;
}
