// Accesses out of the bounds of __device__ and __constant__ variables: to the element after the last one, and (far) to
// another variable.
// CATEGORY: variables
// CASE: device adjacent read
// CASE: device adjacent write
// CASE: device far read
// CASE: device far write
// CASE: constant adjacent read
// CASE: constant far read
#include "case.h"

__device__ int table[64];
__device__ int other[64];
__constant__ int coefficients[64] = {7};
__constant__ int others[64] = {7};

// CHECK: ERROR: AddressSanitizer: global-buffer-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

__global__ void use(int *sink, int index, bool far, bool read) {
  fill(table, 64, 0);
  fill(other, 64, 100);
  if (far)
    index = distance(table, other) + 4;
  if (read)
    // DEVICE+READ: #0 use(int*, int, bool, bool) {{.*}}variables.cu:[[#@LINE+1]]:
    *sink = table[index];
  else {
    // DEVICE+WRITE: #0 use(int*, int, bool, bool) {{.*}}variables.cu:[[#@LINE+1]]:
    table[index] = 7;
    *sink = table[7] + total(other, 64) - 8416;
  }
}

__global__ void use_constant(int *sink, int index, bool far) {
  if (far)
    index = distance(coefficients, others) + 4;
  // CONSTANT+READ: #0 use_constant(int*, int, bool) {{.*}}variables.cu:[[#@LINE+1]]:
  *sink = coefficients[index] + others[index];
}

// DEVICE+ADJACENT: is located 0 bytes after {{.*}}'{{.*}}table' {{.*}}of size 256
// DEVICE+FAR: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'{{.*}}table' {{.*}}of size 256
// CONSTANT+ADJACENT: is located 0 bytes after {{.*}}'{{.*}}coefficients' {{.*}}of size 256
// CONSTANT+FAR: is located {{[0-9]+}} bytes {{after|before}} {{.*}}'{{.*}}coefficients' {{.*}}of size 256

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  bool far = BUG_OR_FIXED(chosen("far"), false);
  if (chosen("constant"))
    use_constant<<<1, 1>>>(sink, BUG_OR_FIXED(64, 63), far);
  else
    use<<<1, 1>>>(sink, BUG_OR_FIXED(64, 7), far, chosen("read"));
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  return finish(result, chosen("constant") ? 0 : 7);
}
