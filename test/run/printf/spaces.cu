// Strings for printf in variables, in the device heap and in managed memory.
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 %s -o %t
// RUN: not %run %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t variable 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not %run %t heap 2>&1 | FileCheck %s --check-prefix=HEAP
// RUN: not %run %t loaded 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t wild 2>&1 | FileCheck %s --check-prefix=WILD
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O0 %s -o %t.plain
// RUN: not %run %t.plain local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t.plain shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t.plain variable 2>&1 | FileCheck %s --check-prefix=VARIABLE
// RUN: not %run %t.plain loaded 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: %gasan -fsanitize-gpu-address-mode=bst -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed local 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed shared 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed variable 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed heap 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed loaded 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %run %t.fixed managed 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: ERROR: AddressSanitizer
// TEXT: is hello
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef FIXED
const int size = 6;
#else
const int size = 5;
#endif

__device__ char variable[size];

__device__ __forceinline__ void fill(char *text, const char *letters) {
  for (int i = 0; i < size; ++i)
    text[i] = letters[i];
}

__global__ void local(const char *letters) {
  char text[size];
  fill(text, letters);
  // LOCAL: ERROR: AddressSanitizer: stack-buffer-overflow
  // LOCAL-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // LOCAL-NEXT: #0 local(char const*) {{.*}}spaces.cu:[[#@LINE+2]]:
  // LOCAL: is located 0 bytes after {{.*}}'text'
  printf("local is %s\n", text);
}

__global__ void shared(const char *letters) {
  __shared__ char text[size];
  fill(text, letters);
  // SHARED: ERROR: AddressSanitizer: shared-buffer-overflow
  // SHARED-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // SHARED-NEXT: #0 shared(char const*) {{.*}}spaces.cu:[[#@LINE+2]]:
  // SHARED: is located 0 bytes after {{.*}}'text'
  printf("shared is %s\n", text);
}

__global__ void global(const char *letters) {
  fill(variable, letters);
  // VARIABLE: ERROR: AddressSanitizer: global-buffer-overflow
  // VARIABLE-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // VARIABLE-NEXT: #0 global(char const*) {{.*}}spaces.cu:[[#@LINE+2]]:
  // VARIABLE: is located 0 bytes after global variable 'variable'
  printf("%d: variable is %s\n", size, variable);
}

__global__ void heap(const char *letters) {
  char *text = static_cast<char *>(malloc(size));
  fill(text, letters);
  // HEAP: ERROR: AddressSanitizer: heap-buffer-overflow
  // HEAP-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // HEAP-NEXT: #0 heap(char const*) {{.*}}spaces.cu:[[#@LINE+1]]:
  printf("heap is %s\n", text);
  free(text);
}

// Each thread prints its own string, from a table of pointers.
__global__ void loaded(const char *const *texts) {
  // LOADED: ERROR: AddressSanitizer: heap-buffer-overflow
  // LOADED-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (1,0,0)
  // LOADED-NEXT: #0 loaded(char const* const*) {{.*}}spaces.cu:[[#@LINE+2]]:
  if (threadIdx.x < 2)
    printf("%d is %s\n", threadIdx.x, texts[threadIdx.x]);
}

__global__ void argument(const char *text) {
  // MANAGED: ERROR: AddressSanitizer: heap-buffer-overflow
  // MANAGED-NEXT: READ of size 6 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // MANAGED-NEXT: #0 argument(char const*) {{.*}}spaces.cu:[[#@LINE+5]]:
  // MANAGED: is located 0 bytes after 5-byte region
  // WILD: ERROR: AddressSanitizer: null-address
  // WILD-NEXT: READ of size 1 at {{0x[0-9a-f]+}} by device thread (0,0,0)
  // WILD-NEXT: #0 argument(char const*) {{.*}}spaces.cu:[[#@LINE+1]]:
  printf("managed is %s\n", text);
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  char *letters, *managed, *good;
  const char **texts;
  cudaMalloc(&good, 6);
  cudaMalloc(&letters, size);
  cudaMallocManaged(&managed, size);
  cudaMallocManaged(&texts, 2 * sizeof *texts);
  cudaMemcpy(good, "hello", 6, cudaMemcpyHostToDevice);
  cudaMemcpy(letters, "hello", size, cudaMemcpyHostToDevice);
  memcpy(managed, "hello", size);
  texts[0] = good;
  texts[1] = letters;
  if (!strcmp(wanted, "local"))
    local<<<1, 1>>>(letters);
  if (!strcmp(wanted, "shared"))
    shared<<<1, 1>>>(letters);
  if (!strcmp(wanted, "variable"))
    global<<<1, 1>>>(letters);
  if (!strcmp(wanted, "heap"))
    heap<<<1, 1>>>(letters);
  if (!strcmp(wanted, "loaded"))
    loaded<<<1, 32>>>(texts);
  if (!strcmp(wanted, "managed"))
    argument<<<1, 1>>>(managed);
  if (!strcmp(wanted, "wild"))
    argument<<<1, 1>>>(reinterpret_cast<const char *>(12));
  return cudaDeviceSynchronize() != cudaSuccess;
}
