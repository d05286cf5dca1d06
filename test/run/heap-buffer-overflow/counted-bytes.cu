// A 64-bit index in bytes, loaded from the object itself. The access outside of the object must not count as an access
// to another object.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 2>&1 | FileCheck %s
// RUN: %gasan -O2 %s -o %t.O2
// RUN: not %run %t.O2 2>&1 | FileCheck %s
// RUN: %gasan -O0 -DFIXED %s -o %t.fixed.O0
// RUN: %run %t.fixed.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed.O2
// RUN: %run %t.fixed.O2 2>&1 >/dev/null | %silent
#include <cstddef>

struct Text {
  size_t length;
  char bytes[24];
};

__global__ void append(Text *text, const char *from, int count) {
  for (int i = 0; i < count; ++i)
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: WRITE of size 1 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
    // CHECK-NEXT: #0 append(Text*, char const*, int) {{.*}}counted-bytes.cu:[[#@LINE+1]]:
    *(&text->bytes[0] + text->length++) = from[i];
}

int main() {
  Text *text;
  char *from;
  cudaMalloc(&text, sizeof *text);
  cudaMalloc(&from, 32);
  cudaMemset(text, 0, sizeof *text);
  cudaMemset(from, 'x', 32);
#ifdef FIXED
  append<<<1, 1>>>(text, from, 24);
#else
  append<<<1, 1>>>(text, from, 25);
#endif
  // CHECK: is located 0 bytes after 32-byte region
  // CHECK: in main {{.*}}counted-bytes.cu:[[#@LINE-10]]:
  return cudaDeviceSynchronize();
}
