// RUN: %gasan -O2 %s -o %t
// RUN: %run help=1 %t | %check
// RUN: %run %t | %silent
// CHECK: device
// CHECK: halt_on_error
// CHECK: quarantine_size_mb
int main() {
  void *memory;
  cudaMalloc(&memory, 1);
  return cudaFree(memory);
}
