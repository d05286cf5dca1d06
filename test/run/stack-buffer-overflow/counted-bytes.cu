// A local struct with a 64-bit length of its text. A function that is not inlined writes after the text array.
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

__device__ __noinline__ void append(Text &text, char c, size_t gap) {
  // CHECK: ERROR: AddressSanitizer: stack-buffer-overflow
  // CHECK-NEXT: WRITE of size 1 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
  // CHECK-NEXT: #0 append(Text&, char, unsigned long) {{.*}}counted-bytes.cu:[[#@LINE+1]]:
  *(&text.bytes[0] + text.length + gap) = c;
  ++text.length;
}

__global__ void collect(const char *from, int count, size_t gap, char *out) {
  Text text = {0, {}};
  for (int i = 0; i < count; ++i)
    append(text, from[i], gap);
  for (int i = 0; i < count; ++i)
    out[i] = text.bytes[i];
}

int main() {
  char *from, *out;
  cudaMalloc(&from, 24);
  cudaMalloc(&out, 24);
  cudaMemset(from, 'x', 24);
#ifdef FIXED
  collect<<<1, 1>>>(from, 24, 0, out);
#else
  collect<<<1, 1>>>(from, 24, 1, out);
#endif
  // CHECK: is located 0 bytes after stack variable 'text' of 'collect(char const*, int, unsigned long, char*)'
  return cudaDeviceSynchronize();
}
