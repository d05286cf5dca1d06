// Accesses at addresses that are not a multiple of their width: a GPU stops the kernel, others pass over it.
// CATEGORY: misaligned
// CASE: read
// CASE: write
// CASE: vector
// CASE: atomic
#include "case.h"

// CHECK: ERROR: AddressSanitizer: misaligned-access

__global__ void load(const char *bytes, int *sink, int offset) {
  // READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // READ: #0 load(char const*, int*, int) {{.*}}misaligned.cu:[[#@LINE+1]]:
  *sink = *reinterpret_cast<const int *>(bytes + offset);
}

__global__ void store(char *bytes, int *sink, int offset) {
  // WRITE: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // WRITE: #0 store(char*, int*, int) {{.*}}misaligned.cu:[[#@LINE+1]]:
  *reinterpret_cast<double *>(bytes + offset) = 7;
  *sink = 7;
}

__global__ void load_vector(const char *bytes, int *sink, int offset) {
  // VECTOR: READ of size 16 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // VECTOR: #0 load_vector(char const*, int*, int) {{.*}}misaligned.cu:[[#@LINE+1]]:
  int4 value = *reinterpret_cast<const int4 *>(bytes + offset);
  *sink = value.x + value.y + value.z + value.w - 15;
}

__global__ void add(char *bytes, int *sink, int offset) {
  // ATOMIC: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // At -O0 the innermost frame is CUDA's header's.
  // ATOMIC: #{{[0-9]}} {{(add\(char\*, int\*, int\) .*misaligned.cu:|atomicAdd\(int\*, int\) )}}
  *sink = atomicAdd(reinterpret_cast<int *>(bytes + offset), 1) + 3;
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1), *values = allocate(100);
  char *bytes = reinterpret_cast<char *>(values);
  if (chosen("vector"))
    load_vector<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(8, 16));
  else if (chosen("read"))
    load<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(29, 28));
  else if (chosen("write"))
    store<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(20, 24));
  else
    add<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(18, 16));
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(values));
  CUDA(cudaFree(sink));
  return finish(result, 7);
}
