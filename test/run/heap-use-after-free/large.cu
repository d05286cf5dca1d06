// A freed chunk that is larger than the quarantine: the next chunk of that size gets other addresses.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
__global__ void touch(char *bytes, size_t last) {
  // CHECK: ERROR: AddressSanitizer: heap-use-after-free
  // CHECK-NEXT: WRITE of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0
  // CHECK-NEXT: #0 touch(char*, unsigned long) {{.*}}large.cu:[[#@LINE+1]]:
  bytes[last] = 1;
}

int main() {
  const size_t size = 300u << 20;
  char *first, *second;
  cudaMalloc(&first, size);
  touch<<<1, 1>>>(first, size - 1);
  cudaFree(first);
  cudaMalloc(&second, size);
#ifdef FIXED
  touch<<<1, 1>>>(second, size - 1);
#else
  touch<<<1, 1>>>(first, size - 1);
#endif
  // CHECK: is located 314572799 bytes inside of 314572800-byte region
  // CHECK: freed by host thread T0 here:
  // CHECK: previously allocated by host thread T0 here:
  return cudaDeviceSynchronize() != cudaSuccess;
}
