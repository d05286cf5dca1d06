// A library with checks is loaded into a program that gasan run guards, whose pool has no tables until then. The first
// kernel of the library finds the chunks that were allocated before.
// REQUIRES: cuda
// RUN: %gasan -O2 -g -shared -fPIC %S/inputs/store-behind.cu -o %t.so
// RUN: %clangxx -x c++ -O2 -I%cuda/include %S/late-library.cu -o %t -L%cuda/lib64 -L%cuda/lib -lcudart -ldl
// RUN: %run %gasan_run %t %t.so late 0 2>&1 >/dev/null | %silent
// RUN: not %run %gasan_run %t %t.so late 1 2>&1 | FileCheck %s
// RUN: %run %gasan_run %t %t.so first 0 2>&1 >/dev/null | %silent
// RUN: not %run %gasan_run %t %t.so first 1 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK-NEXT: WRITE of size 4
// CHECK-NEXT: #0 store(int*) {{.*}}store-behind.cu:2:
// CHECK: located 0 bytes after 128-byte region
// CHECK: allocated by host thread T0 here:
