// Accesses of each width, by read and by write. The argument chooses one: "r1" to "r16", "w1" to "w16".
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t r1 2>&1 | FileCheck %s --check-prefix=R1
// RUN: not %run %t w1 2>&1 | FileCheck %s --check-prefix=W1
// RUN: not %run %t r2 2>&1 | FileCheck %s --check-prefix=R2
// RUN: not %run %t w2 2>&1 | FileCheck %s --check-prefix=W2
// RUN: not %run %t r4 2>&1 | FileCheck %s --check-prefix=R4
// RUN: not %run %t w4 2>&1 | FileCheck %s --check-prefix=W4
// RUN: not %run %t r8 2>&1 | FileCheck %s --check-prefix=R8
// RUN: not %run %t w8 2>&1 | FileCheck %s --check-prefix=W8
// RUN: not %run %t r16 2>&1 | FileCheck %s --check-prefix=R16
// RUN: not %run %t w16 2>&1 | FileCheck %s --check-prefix=W16
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed r1 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed w2 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed r4 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed w8 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed r16 2>&1 >/dev/null | %silent
#include <cstdint>
#include <cstdlib>

template <typename T>
__global__ void read(T *values, int i, T *sink) {
  T value = values[i];
  *sink = value;
}
// R1: READ of size 1 at
// R1-NEXT: #0 void read<unsigned char>(unsigned char*, int, unsigned char*) {{.*}}widths.cu:[[#@LINE-4]]:
// R2: READ of size 2 at
// R2-NEXT: #0 void read<unsigned short>(unsigned short*, int, unsigned short*) {{.*}}widths.cu:[[#@LINE-6]]:
// R4: READ of size 4 at
// R4-NEXT: #0 void read<unsigned int>(unsigned int*, int, unsigned int*) {{.*}}widths.cu:[[#@LINE-8]]:
// R8: READ of size 8 at
// R8-NEXT: #0 void read<unsigned long>(unsigned long*, int, unsigned long*) {{.*}}widths.cu:[[#@LINE-10]]:
// R16: READ of size 16 at
// R16-NEXT: #0 void read<uint4>(uint4*, int, uint4*) {{.*}}widths.cu:[[#@LINE-11]]:

template <typename T>
__global__ void write(T *values, int i, T value) {
  values[i] = value;
}
// W1: WRITE of size 1 at
// W1-NEXT: #0 void write<unsigned char>(unsigned char*, int, unsigned char) {{.*}}widths.cu:[[#@LINE-3]]:
// W2: WRITE of size 2 at
// W2-NEXT: #0 void write<unsigned short>(unsigned short*, int, unsigned short) {{.*}}widths.cu:[[#@LINE-5]]:
// W4: WRITE of size 4 at
// W4-NEXT: #0 void write<unsigned int>(unsigned int*, int, unsigned int) {{.*}}widths.cu:[[#@LINE-7]]:
// W8: WRITE of size 8 at
// W8-NEXT: #0 void write<unsigned long>(unsigned long*, int, unsigned long) {{.*}}widths.cu:[[#@LINE-9]]:
// W16: WRITE of size 16 at
// W16-NEXT: #0 void write<uint4>(uint4*, int, uint4) {{.*}}widths.cu:[[#@LINE-11]]:

#ifdef FIXED
const int past = -1;
#else
const int past = 0;
#endif

// 80 bytes hold whole elements of each width.
template <typename T>
int run(char kind) {
  T *values, *sink;
  cudaMalloc(&values, 80);
  cudaMalloc(&sink, sizeof(T));
  cudaMemset(values, 0, 80);
  int i = 80 / sizeof(T) + past;
  if (kind == 'r')
    read<T><<<1, 1>>>(values, i, sink);
  else
    write<T><<<1, 1>>>(values, i, T{});
  // R1: is located 0 bytes after 80-byte region
  // W1: is located 0 bytes after 80-byte region
  // R2: is located 0 bytes after 80-byte region
  // W2: is located 0 bytes after 80-byte region
  // R4: is located 0 bytes after 80-byte region
  // W4: is located 0 bytes after 80-byte region
  // R8: is located 0 bytes after 80-byte region
  // W8: is located 0 bytes after 80-byte region
  // R16: is located 0 bytes after 80-byte region
  // W16: is located 0 bytes after 80-byte region
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(values);
  cudaFree(sink);
  return error != cudaSuccess;
}

int main(int, char **arguments) {
  char kind = arguments[1][0];
  switch (atoi(arguments[1] + 1)) {
  case 1:
    return run<uint8_t>(kind);
  case 2:
    return run<uint16_t>(kind);
  case 4:
    return run<uint32_t>(kind);
  case 8:
    return run<uint64_t>(kind);
  case 16:
    return run<uint4>(kind);
  }
  return 2;
}
