// printf reads the pointers to its strings from the buffer of its arguments. There they have no tag, for all formats
// and callers. Pointers that %p prints, and the program's own pointers, keep their tags.
// RUN: %gasan -Wno-format-security -O2 %s -fsanitize-gpu-address-tags -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -Wno-format-security -O0 %s -fsanitize-gpu-address-tags -o %t.plain
// RUN: not %run %t.plain 2>&1 | FileCheck %s
// RUN: %gasan -Wno-format-security -O2 -DFIXED %s -fsanitize-gpu-address-tags -o %t.fixed
// RUN: %run %t.fixed 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: ERROR: AddressSanitizer
// TEXT: constant hello and 0x{{1[0-9a-f]}}00{{[0-9a-f]+}} and hello
// TEXT-NEXT: run time 7 hello 2.5 he
// TEXT-NEXT: unchecked hello
// TEXT-NEXT: buffer 3 hello
// TEXT-NEXT: buffer 4 hello
// TEXT-NEXT: last hello
#include <cstdio>
#include <cstring>

__attribute__((no_sanitize("address"))) __device__ __noinline__ void print_unchecked(const char *text) {
  printf("unchecked %s\n", text);
}

// The program fills this buffer itself, and printf leaves it unchanged.
struct Arguments {
  int number;
  const char *text;
};

__device__ __noinline__ void print_buffer(const char *format, const Arguments *arguments) {
  vprintf(format, reinterpret_cast<const char *>(arguments));
}

__global__ void publish(Arguments *shared, const char *text) {
  *shared = {4, text};
}

__global__ void print(const char *text, const char *format, const char *last, const Arguments *shared, int *failed) {
  const char *volatile kept = text;
  printf("constant %s and %p and %s\n", text, text, text);
  printf(format, 7, text, 2.5, text);
  print_unchecked(text);
  Arguments own = {3, text};
  print_buffer("buffer %d %s\n", &own);
  print_buffer("buffer %d %s\n", shared);
  *failed = kept != text || own.text != text || shared->text != text || shared->text[4] != 'o';
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
  // CHECK-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // CHECK-NEXT: #0 print(char const*, char const*, char const*, Arguments const*, int*) {{.*}}printf.cu:[[#@LINE+1]]:
  printf("last %s\n", last);
  // CHECK: is located 0 bytes after 5-byte region
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

int main() {
#ifdef FIXED
  const int size = 6;
#else
  const int size = 5;
#endif
  int *failed, result = 1;
  cudaMalloc(&failed, sizeof *failed);
  char *text = on_device("hello");
  Arguments *shared;
  cudaMalloc(&shared, sizeof *shared);
  publish<<<1, 1>>>(shared, text);
  print<<<1, 1>>>(text, on_device("run time %d %s %.1f %.2s\n"), on_device("hello", size), shared, failed);
  return cudaMemcpy(&result, failed, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess || result;
}
