// Formats that are known only at run time: the device code finds the string arguments.
// RUN: %gasan -fsanitize-gpu-address-mode=bst -Wno-format-security -Wno-format-nonliteral -O2 %s -o %t
// RUN: not %run %t argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t precision 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not %run %t star 2>&1 | FileCheck %s --check-prefix=STAR
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t which 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: not %run %t open 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: %run %t good 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: %gasan -fsanitize-gpu-address-mode=bst -Wno-format-security -Wno-format-nonliteral -O0 %s -o %t.plain
// RUN: not %run %t.plain argument 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not %run %t.plain which 2>&1 | FileCheck %s --check-prefix=WHICH
// RUN: %gasan -fsanitize-gpu-address-mode=bst -Wno-format-security -Wno-format-nonliteral -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed argument 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed precision 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed star 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed freed 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed which 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed open 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: ERROR: AddressSanitizer
// TEXT: is hello
#include <cstdio>
#include <cstring>

#ifdef FIXED
const int size = 6;
#else
const int size = 5;
#endif

__global__ void print(const char *format, double number, const char *text, int length) {
  // ARGUMENT: ERROR: AddressSanitizer: heap-buffer-overflow
  // ARGUMENT-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // ARGUMENT-NEXT: #0 print(char const*, double, char const*, int) {{.*}}formats.cu:[[#@LINE+6]]:
  // PRECISION: ERROR: AddressSanitizer: heap-buffer-overflow
  // PRECISION-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // PRECISION-NEXT: #0 print(char const*, double, char const*, int) {{.*}}formats.cu:[[#@LINE+3]]:
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED: #0 print(char const*, double, char const*, int) {{.*}}formats.cu:[[#@LINE+1]]:
  printf(format, number, text, length);
}

__global__ void star(const char *format, int length, const char *text) {
  // STAR: ERROR: AddressSanitizer: heap-buffer-overflow
  // STAR-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // STAR-NEXT: #0 star(char const*, int, char const*) {{.*}}formats.cu:[[#@LINE+1]]:
  printf(format, length, text);
}

__global__ void which(bool first, const char *text) {
  // WHICH: ERROR: AddressSanitizer: heap-buffer-overflow
  // WHICH-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // WHICH-NEXT: #0 which(bool, char const*) {{.*}}formats.cu:[[#@LINE+1]]:
  printf(first ? "first is %s\n" : "second is %.3s\n", text);
}

__global__ void open(const char *format) {
  // OPEN: ERROR: AddressSanitizer: heap-buffer-overflow
  // OPEN-NEXT: READ of size 10 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // OPEN-NEXT: #0 open(char const*) {{.*}}formats.cu:[[#@LINE+1]]:
  printf(format, "hello");
}

static char *on_device(const char *text, size_t bytes) {
  char *copy;
  cudaMalloc(&copy, bytes);
  cudaMemcpy(copy, text, bytes, cudaMemcpyHostToDevice);
  return copy;
}

static char *on_device(const char *text) {
  return on_device(text, strlen(text) + 1);
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  char *text = on_device("hello", size);
  if (!strcmp(wanted, "argument"))
    print<<<1, 1>>>(on_device("%% %5.1f is %s %d\n"), 2.5, text, 7);
  if (!strcmp(wanted, "precision"))
    print<<<1, 1>>>(on_device("%f is %.99s %d\n"), 2.5, text, 7);
  if (!strcmp(wanted, "star"))
    star<<<1, 1>>>(on_device("is %*s\n"), 5, text);
  if (!strcmp(wanted, "freed")) {
    if (size == 5)
      cudaFree(text);
    print<<<1, 1>>>(on_device("%g is %s %d\n"), 2.5, text, 7);
  }
  if (!strcmp(wanted, "which"))
    which<<<1, 1>>>(true, text);
  // GOOD-NOT: ERROR: AddressSanitizer
  // GOOD: second is hel
  // GOOD: 2.5 is hello
  if (!strcmp(wanted, "good")) {
    which<<<1, 1>>>(false, text);
    print<<<1, 1>>>(on_device("%.1f is %.5s %d\n"), 2.5, text, 7);
  }
  if (!strcmp(wanted, "open"))
    open<<<1, 1>>>(on_device("it is %s\n", size == 5 ? 9 : 10));
  return cudaDeviceSynchronize() != cudaSuccess;
}
