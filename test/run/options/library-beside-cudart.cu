// A program that does not know gasan, and is linked with libcudart.so, loads a library with checks. The loader gives
// the library cudart's functions; the runtime gives it its own. Also for a library that is bound when it is loaded, and
// for libraries that another linker made, which load the runtime themselves.
// RUN: %gasan -O2 -g -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %gasan -O2 -g -shared -fPIC -DLIBRARY -Wl,-z,now %s -o %t.now.so
// RUN: %gasan -O2 -g -c -fPIC -DLIBRARY %s -o %t.o
// RUN: %clangxx -shared %t.o -o %t.other.so -L%cuda/lib64 -L%cuda/lib -lcudart -Wl,-rpath,%cuda/lib64,-rpath,%cuda/lib
// RUN: %clangxx -shared -Wl,-z,now %t.o -o %t.late.so -L%cuda/lib64 -L%cuda/lib -lcudart \
// RUN:   -Wl,-rpath,%cuda/lib64,-rpath,%cuda/lib
// RUN: %clangxx -x c++ -O2 %s -o %t -L%cuda/lib64 -L%cuda/lib -Wl,--no-as-needed -lcudart -ldl \
// RUN:   -Wl,-rpath,%cuda/lib64,-rpath,%cuda/lib
// RUN: %run %t %t.so 32 2>&1 | %silent
// RUN: not %run %t %t.so 33 2>&1 | FileCheck %s
// RUN: %run %t %t.now.so 32 2>&1 | %silent
// RUN: not %run %t %t.now.so 33 2>&1 | FileCheck %s
// RUN: %run %t %t.other.so 32 2>&1 | %silent
// RUN: not %run %t %t.other.so 33 2>&1 | FileCheck %s
// RUN: not %run %t %t.late.so 33 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4
// CHECK-NEXT: #0 store(int*) {{.*}}library-beside-cudart.cu:[[#@LINE+8]]:
// CHECK: located 0 bytes after 128-byte region
// CHECK: allocated by host thread T0 here:
// CHECK-NEXT: in cudaMalloc
#ifdef LIBRARY
#include <cuda_runtime.h>

__global__ void store(int *values) {
  values[threadIdx.x] = 7;
}

extern "C" int run_store(int threads) {
  int *values;
  cudaError_t (*allocate)(void **, size_t) = cudaMalloc; // an address in a slot of its own
  if (allocate((void **)&values, 32 * sizeof *values) != cudaSuccess)
    return 2;
  store<<<1, threads>>>(values);
  return cudaDeviceSynchronize() != cudaSuccess || cudaFree(values) != cudaSuccess;
}
#else
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int, char **arguments) {
  void *library = dlopen(arguments[1], RTLD_NOW);
  auto run = library ? (int (*)(int))dlsym(library, "run_store") : nullptr;
  if (!run)
    return printf("%s\n", dlerror()), 2;
  return run(atoi(arguments[2]));
}
#endif
