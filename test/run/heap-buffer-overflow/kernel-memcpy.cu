// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// A memcpy in a kernel, whose size is known at run time only.
__global__ void copy(char *to, const char *from, size_t size) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: WRITE of size 150 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // CHECK: #1 copy(char*, char const*, unsigned long) {{.*}}kernel-memcpy.cu:[[#@LINE+1]]:
  memcpy(to, from, size);
}

int main() {
  char *to, *from;
  cudaMalloc(&from, 200);
  cudaMalloc(&to, 100);
  cudaMemset(from, 7, 200);
#ifdef FIXED
  copy<<<1, 1>>>(to, from, 100);
#else
  copy<<<1, 1>>>(to, from, 150);
#endif
  // CHECK: [[FAULT]] is located 0 bytes after 100-byte region
  char last = 0;
  cudaMemcpy(&last, to + 99, 1, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return last != 7;
}
