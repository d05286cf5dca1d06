// printf reads the string for %s in the kernel. A string without a terminator, and a string in freed memory, are
// reported.
// RUN: %gasan -Wno-format-security -O2 %s -o %t
// RUN: not %run %t plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %run %t width 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not %run %t precision 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not %run %t star 2>&1 | FileCheck %s --check-prefix=STAR
// RUN: not %run %t second 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not %run %t format 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not %run %t helper 2>&1 | FileCheck %s --check-prefix=HELPER
// RUN: %gasan -Wno-format-security -O0 %s -o %t.plain
// RUN: not %run %t.plain plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %run %t.plain star 2>&1 | FileCheck %s --check-prefix=STAR
// RUN: not %run %t.plain second 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not %run %t.plain freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t.plain helper 2>&1 | FileCheck %s --check-prefix=HELPER
// RUN: %gasan -Wno-format-security -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed plain 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed width 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed precision 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed star 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed second 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed freed 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed behind 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed format 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed helper 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed null 2>&1 >/dev/null | %silent
// TEXT-NOT: ERROR: AddressSanitizer
// TEXT: gasan-16-letters{{$}}
#include <cstdio>
#include <cstring>

__global__ void plain(const char *text) {
  // PLAIN: ERROR: AddressSanitizer: heap-buffer-overflow
  // PLAIN-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // PLAIN-NEXT: #0 plain(char const*) {{.*}}strings.cu:[[#@LINE+2]]:
  // PLAIN: is located 0 bytes after 16-byte region
  printf("  %s\n", text);
}

__global__ void width(const char *text) {
  // WIDTH: ERROR: AddressSanitizer: heap-buffer-overflow
  // WIDTH-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // WIDTH-NEXT: #0 width(char const*) {{.*}}strings.cu:[[#@LINE+1]]:
  printf("%-*s%18s\n", 1, "", text);
}

// A precision equal to the string's length needs no terminator.
__global__ void precision(const char *text, const char *terminated) {
  printf("  %.16s\n", text);
  printf("  %.99s\n", terminated);
  // PRECISION: ERROR: AddressSanitizer: heap-buffer-overflow
  // PRECISION-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // PRECISION-NEXT: #0 precision(char const*, char const*) {{.*}}strings.cu:[[#@LINE+2]]:
#ifndef FIXED
  printf("  %.17s\n", text);
#endif
}

__global__ void star(const char *text, int length) {
  // STAR: ERROR: AddressSanitizer: heap-buffer-overflow
  // STAR-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // STAR-NEXT: #0 star(char const*, int) {{.*}}strings.cu:[[#@LINE+1]]:
  printf("%s%*s\n", "  ", length, text);
}

// The bad string follows arguments of other sizes and good strings.
__global__ void second(const char *good, const char *text) {
  // SECOND: ERROR: AddressSanitizer: heap-buffer-overflow
  // SECOND-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // SECOND-NEXT: #0 second(char const*, char const*) {{.*}}strings.cu:[[#@LINE+1]]:
  printf("%d%% %5.2f %c %s %lld %p %hd\n%s  %s\n", 1, 2.0, 'c', good, 3ll, text, 4, "", text);
}

__global__ void freed(const char *text) {
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // FREED-NEXT: #0 freed(char const*) {{.*}}strings.cu:[[#@LINE+2]]:
  // FREED: is located 0 bytes inside of 17-byte region
  printf("  %s\n", text);
}

__global__ void behind(const char *text, int offset) {
  // BEHIND: ERROR: AddressSanitizer: heap-buffer-overflow
  // BEHIND-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // BEHIND-NEXT: #0 behind(char const*, int) {{.*}}strings.cu:[[#@LINE+2]]:
  // BEHIND: is located 3 bytes after 17-byte region
  printf("  %s\n", text + offset);
}

// A format is a string too.
__global__ void format(const char *text) {
  printf("  ");
  // FORMAT: ERROR: AddressSanitizer: heap-buffer-overflow
  // FORMAT-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // FORMAT-NEXT: #0 format(char const*) {{.*}}strings.cu:[[#@LINE+1]]:
  printf(text);
  printf("\n");
}

__device__ __noinline__ void print(const char *text) {
  // HELPER: ERROR: AddressSanitizer: heap-buffer-overflow
  // HELPER-NEXT: READ of size 17 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // HELPER-NEXT: #0 print(char const*) {{.*}}strings.cu:[[#@LINE+1]]:
  printf("  %s\n", text);
}

__global__ void helper(const char *text) {
  print(text);
}

int main(int, char **arguments) {
  const char *wanted = arguments[1], letters[] = "gasan-16-letters";
  char *text, *terminated;
#ifdef FIXED
  const int size = 17, offset = 0, length = 17;
#else
  const int size = 16, offset = 20, length = 17;
#endif
  cudaMalloc(&text, size);
  cudaMalloc(&terminated, 17);
  cudaMemcpy(text, letters, size, cudaMemcpyHostToDevice);
  cudaMemcpy(terminated, letters, 17, cudaMemcpyHostToDevice);
  if (!strcmp(wanted, "plain"))
    plain<<<1, 1>>>(text);
  if (!strcmp(wanted, "width"))
    width<<<1, 1>>>(text);
  if (!strcmp(wanted, "precision"))
    precision<<<1, 1>>>(text, terminated);
  if (!strcmp(wanted, "star"))
    star<<<1, 1>>>(text, length);
  if (!strcmp(wanted, "second"))
    second<<<1, 1>>>(terminated, text);
#ifndef FIXED
  if (!strcmp(wanted, "freed"))
    cudaFree(terminated);
#endif
  if (!strcmp(wanted, "freed"))
    freed<<<1, 1>>>(terminated);
  if (!strcmp(wanted, "behind"))
    behind<<<1, 1>>>(terminated, offset);
  if (!strcmp(wanted, "format"))
    format<<<1, 1>>>(text);
  if (!strcmp(wanted, "helper"))
    helper<<<1, 1>>>(text);
  if (!strcmp(wanted, "null"))
    plain<<<1, 1>>>(nullptr);
  return cudaDeviceSynchronize() != cudaSuccess;
}
