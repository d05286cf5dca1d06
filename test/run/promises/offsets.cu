// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not %run %t words 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not %run %t either 2>&1 | FileCheck %s --check-prefix=EITHER
// RUN: %gasan -O1 -fsanitize-gpu-address-launch-proof=off %s -o %t.1
// RUN: not %run %t.1 bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not %run %t.1 words 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not %run %t.1 either 2>&1 | FileCheck %s --check-prefix=EITHER
// RUN: %gasan -O3 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed bytes 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed words 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed either 2>&1 >/dev/null | %silent
// Offsets that are in bounds if a promise holds: the optimiser knows from `i <= 99` that 99 - i does not wrap.
#include <cstring>

#ifdef FIXED
constexpr int kLast = 99;
#else
constexpr int kLast = 100;
#endif

__global__ void bytes(int i, int *out) {
  __shared__ char values[100];
  for (int k = 0; k < 100; k++)
    values[k] = char(k + *out);
  __builtin_assume(i >= 0 && i <= 99);
  // BYTES: ERROR: AddressSanitizer: shared-buffer-overflow
  // BYTES-NEXT: READ of size 1
  // BYTES-NEXT: #0 bytes(int, int*) {{.*}}offsets.cu:[[#@LINE+1]]:
  *out = values[99 - i];
  // BYTES: bytes {{before|after}} shared variable 'values'
}

__global__ void words(int i, int *out) {
  int values[100];
  for (int k = 0; k < 100; k++)
    values[k] = k + *out;
  __builtin_assume(i >= 0 && i <= 99);
  // WORDS: ERROR: AddressSanitizer: stack-buffer-overflow
  // WORDS-NEXT: READ of size 4
  // WORDS-NEXT: #0 words(int, int*) {{.*}}offsets.cu:[[#@LINE+1]]:
  *out = values[99 - i];
  // WORDS: bytes {{before|after}} stack variable 'values'
}

__constant__ char small[100] = {1}, large[200] = {2};
__global__ void either(int i, int *out) {
  const char *values = *out ? small : large;
  if (i < 0 || i > 99)
    __builtin_unreachable();
  // EITHER: ERROR: AddressSanitizer: global-buffer-overflow
  // EITHER-NEXT: READ of size 1
  // EITHER-NEXT: #0 either(int, int*) {{.*}}offsets.cu:[[#@LINE+1]]:
  *out = values[99 - i];
  // EITHER: bytes {{before|after}} constant variable 'large'
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  if (!strcmp(argv[1], "bytes"))
    bytes<<<1, 1>>>(kLast, out);
  if (!strcmp(argv[1], "words"))
    words<<<1, 1>>>(kLast, out);
  if (!strcmp(argv[1], "either"))
    either<<<1, 1>>>(kLast, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
