// The option help lists the options. Without it the program is silent.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=help=1 %run %t 2>&1 | FileCheck %s
// RUN: %run %t 2>&1 >/dev/null | %silent
// CHECK: device
// CHECK: halt_on_error
// CHECK: quarantine_size_mb
int main() {
  void *memory;
  cudaMalloc(&memory, 1);
  return cudaFree(memory);
}
