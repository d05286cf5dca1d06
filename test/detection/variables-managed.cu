// Accesses out of the bounds of a __managed__ variable.
// CATEGORY: variables
// PLAIN: none (clang itself has no __managed__)
// CASE: managed read
// CASE: managed write
#include "case.h"

__managed__ int table[64];

// CHECK: ERROR: AddressSanitizer: global-buffer-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void load(int *sink, int index) {
  fill(table, 64, 0);
  // READ: #0 load(int*, int) {{.*}}variables-managed.cu:[[#@LINE+1]]:
  *sink = table[index];
}

__global__ void store(int *sink, int index) {
  fill(table, 64, 0);
  // WRITE: #0 store(int*, int) {{.*}}variables-managed.cu:[[#@LINE+1]]:
  table[index] = 7;
  *sink = table[7];
}

// CHECK: is located 0 bytes after {{.*}}'{{.*}}table' {{.*}}of size 256

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  if (chosen("read"))
    load<<<1, 1>>>(sink, BUG_OR_FIXED(64, 7));
  else
    store<<<1, 1>>>(sink, BUG_OR_FIXED(64, 7));
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  return finish(result, 7);
}
