// A program and a shared library with different granules: the program ends when CUDA starts, or when the library is
// loaded, with a message that names both files. With equal granules both run.
// RUN: %gasan -O2 -shared -fPIC -fsanitize-gpu-address-granule=256 %S/inputs/library.cu -o %t.256.so
// RUN: %gasan -O2 -shared -fPIC -fsanitize-gpu-address-granule=8 %S/inputs/library.cu -o %t.8.so
// RUN: %gasan -O2 -fsanitize-gpu-address-granule=256 %s -o %t -ldl
// RUN: not %run %t %t.8.so first 2>&1 | FileCheck %s
// RUN: not %run %t %t.8.so late 2>&1 | FileCheck %s
// RUN: %run %t %t.256.so first 2>&1 >/dev/null | %silent
// RUN: %run %t %t.256.so late 2>&1 >/dev/null | %silent
// CHECK: gasan: ERROR: {{.*}}mixed-library{{.*}} was compiled with -fsanitize-gpu-address-granule=256,
// CHECK-SAME: {{^}} but {{.*}}mixed-library{{.*}}.8.so with 8; compile both with the same
#include <cstring>
#include <dlfcn.h>

__global__ void set(int *value) {
  *value = 7;
}

int main(int, char **arguments) {
  int *value, host = 0;
  if (!strcmp(arguments[2], "late"))
    cudaMalloc(&value, sizeof *value);
  void *library = dlopen(arguments[1], RTLD_NOW);
  auto launch = library ? (int (*)())dlsym(library, "launch_fill") : nullptr;
  if (!launch || launch() != 0)
    return 2;
  if (strcmp(arguments[2], "late"))
    cudaMalloc(&value, sizeof *value);
  set<<<1, 1>>>(value);
  cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost);
  return cudaFree(value) != cudaSuccess || host != 7;
}
