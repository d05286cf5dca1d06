// A program with tags and a shared library without: the program ends with a message when CUDA starts, or when the
// library is loaded.
// RUN: %gasan -O2 -shared -fPIC -fsanitize-gpu-address-mode=bst %S/../encodings/inputs/library.cu -o %t.bst.so
// RUN: %gasan -O2 -shared -fPIC -fsanitize-gpu-address-tags %S/../encodings/inputs/library.cu -o %t.tags.so
// RUN: %gasan -O2 -fsanitize-gpu-address-tags %s -o %t -ldl
// RUN: not %run %t %t.bst.so first 2>&1 | FileCheck %s
// RUN: not %run %t %t.bst.so late 2>&1 | FileCheck %s
// RUN: %run %t %t.tags.so first 2>&1 >/dev/null | %silent
// RUN: %run %t %t.tags.so late 2>&1 >/dev/null | %silent
// RUN: %options=pool=handles not %run %t %t.tags.so late 2>&1 | FileCheck %s --check-prefix=HANDLES
// RUN: %options=lookup=tree not %run %t %t.tags.so late 2>&1 | FileCheck %s --check-prefix=TREE
// CHECK: gasan: ERROR: {{.*}}mixed-library{{.*}} was compiled with -fsanitize-gpu-address-tags=on,
// CHECK-SAME: {{^}} but {{.*}}mixed-library{{.*}}.bst.so with off; compile both with the same
// HANDLES: gasan: ERROR: GASAN_OPTIONS=pool=handles, but the program was built with -fsanitize-gpu-address-tags
// TREE: gasan: ERROR: GASAN_OPTIONS=lookup=tree, but the program was built with -fsanitize-gpu-address-tags
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
