// Options that affect BST mode only print a line in a program without BST code.
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run lookup=tree %t.shadow | %check LOOKUP
// RUN: %run strict_temporal=1 %t.shadow | %check STRICT
// RUN: %run %t.shadow | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=bst %s -o %t.bst
// RUN: %run lookup=tree %t.bst | %silent
// RUN: %run strict_temporal=1 %t.bst | %silent
// LOOKUP: gasan: GASAN_OPTIONS=lookup= means something to code compiled with -fsanitize-gpu-address-mode=bst only, and the program has none
// STRICT: gasan: GASAN_OPTIONS=strict_temporal=1 means something to code compiled with -fsanitize-gpu-address-mode=bst only
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
