// -fsanitize-ignorelist leaves functions and files without checks, in clang's format.
// RUN: %gasan -O2 -fsanitize-ignorelist=%S/inputs/ignore-function.txt %s -o %t.function
// RUN: %run %t.function 2>&1 | %silent
// RUN: %run %t.function 2>&1 | %silent
// RUN: not %run %t.function checked 2>&1 | FileCheck %s
// RUN: %gasan -O2 -fsanitize-ignorelist=%S/inputs/ignore-file.txt %s -o %t.file
// RUN: %run %t.file checked 2>&1 | %silent
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s --check-prefix=ALL
// CHECK: #0 checked(int*, int) {{.*}}ignorelist.cu:[[#@LINE+7]]:
// ALL: #0 careless(int*, int) {{.*}}ignorelist.cu:[[#@LINE+2]]:
__global__ void careless(int *values, int i) {
  values[i] = 1;
}

__global__ void checked(int *values, int i) {
  values[i] = 2;
}

int main(int count, char **) {
  int *values;
  cudaMalloc(&values, 100);
  (count > 1 ? checked : careless)<<<1, 1>>>(values, 25);
  return cudaDeviceSynchronize() != cudaSuccess;
}
