// Accesses past a variable of another translation unit (inputs/unit.cu), whose size is unknown in this unit.
// CATEGORY: variables
// FLAGS: -fgpu-rdc inputs/unit.cu
// CASE: other-unit device read
// CASE: other-unit device write
#include "case.h"

extern __device__ int far_table[];

// CHECK: ERROR: AddressSanitizer: global-buffer-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void load(int *sink, int index) {
  // READ: #0 load(int*, int) {{.*}}variables-units.cu:[[#@LINE+1]]:
  *sink = far_table[index];
}

__global__ void store(int *sink, int index) {
  // WRITE: #0 store(int*, int) {{.*}}variables-units.cu:[[#@LINE+1]]:
  far_table[index] = 7;
  *sink = far_table[7];
}

// CHECK: is located 0 bytes after {{.*}}'{{.*}}far_table' {{.*}}of size 256

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
