// A program without device code uses CUDA before it loads a library with kernels. The kernels are checked in both
// modes. A library with another granule, or with tags that the pool does not have, gets a message.
// RUN: %gasan -O2 -g -shared -fPIC -fsanitize-gpu-address-mode=bst %S/inputs/store-behind.cu -o %t.bst.so
// RUN: %gasan -O2 -g -shared -fPIC -fsanitize-gpu-address-mode=shadow %S/inputs/store-behind.cu -o %t.shadow.so
// RUN: %gasan -O2 -g -shared -fPIC -fsanitize-gpu-address-granule=8 %S/inputs/store-behind.cu -o %t.8.so
// RUN: %gasan -O2 -g -shared -fPIC -fsanitize-gpu-address-tags %S/inputs/store-behind.cu -o %t.tags.so
// RUN: %gasan -O2 -x c++ %s -o %t -ldl
// RUN: %run %t %t.bst.so late 0 2>&1 >/dev/null | %silent
// RUN: %run %t %t.shadow.so late 0 2>&1 >/dev/null | %silent
// RUN: not %run %t %t.bst.so late 1 2>&1 | FileCheck %s
// RUN: not %run %t %t.shadow.so late 1 2>&1 | FileCheck %s
// RUN: not %run %t %t.8.so first 1 2>&1 | FileCheck %s
// RUN: not %run %t %t.tags.so first 1 2>&1 | FileCheck %s
// RUN: not %run %t %t.8.so late 0 2>&1 | FileCheck %s --check-prefix=GRANULE
// RUN: %run %t %t.tags.so late 0 2>&1 | FileCheck %s --check-prefix=TAGS
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4
// CHECK-NEXT: #0 store(int*) {{.*}}store-behind.cu:2:
// GRANULE: gasan: ERROR: a library with -fsanitize-gpu-address-granule=8 was loaded after the first CUDA call of a
// GRANULE-SAME: {{^}} program with granule=128; load the library before the first CUDA call, or compile it
// GRANULE-SAME: {{^}} with granule=128
// TAGS: gasan: a library with -fsanitize-gpu-address-tags was loaded after the first CUDA call of a
// TAGS-SAME: {{^}} program without tags
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include <cuda_runtime.h>

int main(int, char **arguments) {
  int *values;
  if (!strcmp(arguments[2], "late"))
    cudaMalloc(&values, 32 * sizeof *values);
  void *library = dlopen(arguments[1], RTLD_NOW);
  auto store = library ? (int (*)(int *))dlsym(library, "launch_store") : nullptr;
  if (!store)
    return 2;
  if (strcmp(arguments[2], "late"))
    cudaMalloc(&values, 32 * sizeof *values);
  int error = store(values + (atoi(arguments[3]) ? 32 : 0));
  return cudaFree(values) != cudaSuccess || error;
}
