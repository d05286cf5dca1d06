// The program unloads the library with the faulting kernel before it waits. The report is still complete.
// RUN: %gasan -O2 -shared -fPIC %S/inputs/library.cu -o %t.bad.so
// RUN: %gasan -O2 -shared -fPIC -DFIXED %S/inputs/library.cu -o %t.good.so
// RUN: %gasan -O2 %s -o %t -ldl
// RUN: not %run %t %t.bad.so 2>&1 | FileCheck %s
// RUN: %run %t %t.good.so 2>&1 >/dev/null | %silent
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (25,0,0) block (0,0,0) lane 25
// CHECK-SAME: {{^}} (and 6 more threads of this kernel)
// CHECK-NEXT: #0 fill(int*, int) {{.*}}library.cu:5:
// CHECK-NEXT: #1 fill(int*, int)<<<1, 32>>> launched here by host thread T0:
// CHECK: is located 0 bytes after 100-byte region
#include <dlfcn.h>

int main(int argc, char **argv) {
  int *values;
  cudaMalloc(&values, 25 * sizeof(int));
  for (int round = 0; round < 2; ++round) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    auto launch = library ? (void (*)(int *))dlsym(library, "launch_fill") : nullptr;
    if (!launch)
      return 2;
    launch(values);
    dlclose(library);
  }
  int last = 0;
  cudaMemcpy(&last, values + 24, sizeof last, cudaMemcpyDeviceToHost);
  return last == 24 ? 0 : 3;
}
