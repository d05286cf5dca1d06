// RUN: %gasan -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// The host computes a pointer into another live allocation. Its tag still names its own allocation.
__global__ void write(int *values) {
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: WRITE of size 4
  // CHECK-NEXT: #0 write(int*) {{.*}}far.cu:[[#@LINE+1]]:
  *values = 1;
}

int main() {
  char *first, *second;
  cudaMalloc(&first, 1000);
  cudaMalloc(&second, 3000);
  const long distance = (reinterpret_cast<long>(second) - reinterpret_cast<long>(first)) & 0xffffffffffffff;
#ifndef FIXED
  char *place = first + distance + 400;
#else
  char *place = second + 400;
#endif
  write<<<1, 1>>>(reinterpret_cast<int *>(place));
  // CHECK: bytes after 1000-byte region
  // CHECK: allocated by host thread T0 here:
  // CHECK: in main {{.*}}far.cu:[[#@LINE-11]]:
  return cudaDeviceSynchronize() != cudaSuccess || distance <= 0;
}
