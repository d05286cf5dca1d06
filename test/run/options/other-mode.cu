// An option for BST mode only: a program without BST code prints a line about it.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %options=lookup=tree %run %t.shadow 2>&1 | FileCheck %s --check-prefix=LOOKUP
// RUN: %options=strict_temporal=1 %run %t.shadow 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: %options=lookup=tree %run %t.bst 2>&1 >/dev/null | %silent
// RUN: %options=strict_temporal=1 %run %t.bst 2>&1 >/dev/null | %silent
// LOOKUP: gasan: GASAN_OPTIONS=lookup= has no effect: only code compiled with -fsanitize-gpu-address-mode=bst uses it,
// LOOKUP-SAME: {{^}} and the program has none
// STRICT: gasan: GASAN_OPTIONS=strict_temporal=1 has no effect: only code compiled with
// STRICT-SAME: {{^}} -fsanitize-gpu-address-mode=bst uses it
__global__ void store(int *value) {
  *value = 1;
}

int main() {
  int *value;
  cudaMalloc(&value, sizeof *value);
  store<<<1, 1>>>(value);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(value);
  return error != cudaSuccess;
}
