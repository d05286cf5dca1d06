// Accesses at addresses that are not a multiple of their width. A GPU stops the kernel; other devices execute them.
// CATEGORY: misaligned
// CASE: read
// CASE: write
// CASE: vector
// CASE: atomic
// CASE: wide
// CASE: shared
// CASE: local
// CASE: copy
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
  // At -O0 the first frames are those of CUDA's header.
  // ATOMIC: #2 add(char*, int*, int){{ .*misaligned.cu:39:|<<<}}
  *sink = atomicAdd(reinterpret_cast<int *>(bytes + offset), 1) + 3;
}

__global__ void add_wide(char *bytes, int *sink, int offset) {
  // WIDE: WRITE of size 8 at {{0x[0-9a-f]+}} by device thread
  // WIDE: #2 add_wide(char*, int*, int){{ .*misaligned.cu:45:|<<<}}
  *sink = int(atomicAdd(reinterpret_cast<unsigned long long *>(bytes + offset), 1ull) & 0) + 7;
}

__global__ void through_shared(int *sink, int offset) {
  __shared__ int buffer[16];
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  // SHARED: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  const int *misaligned = reinterpret_cast<const int *>(reinterpret_cast<const char *>(buffer) + offset);
  // SHARED: #0 through_shared(int*, int) {{.*}}misaligned.cu:[[#@LINE+2]]:
  if (threadIdx.x == 0)
    *sink = *misaligned;
}

__global__ void through_local(int *sink, int offset) {
  int buffer[16];
  fill(buffer, 16, 0);
  // LOCAL: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  const int *misaligned = reinterpret_cast<const int *>(reinterpret_cast<const char *>(buffer) + offset);
  // LOCAL: #0 through_local(int*, int) {{.*}}misaligned.cu:[[#@LINE+1]]:
  *sink = *misaligned;
}

struct Pair {
  double first, second;
};

__global__ void copy(const char *bytes, Pair *pairs, int *sink, int offset) {
  // COPY: READ of size {{8|16}} at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // COPY: #0 copy(char const*, Pair*, int*, int) {{.*}}misaligned.cu:[[#@LINE+1]]:
  pairs[0] = *reinterpret_cast<const Pair *>(bytes + offset);
  *sink = 7;
}

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1), *values = allocate(100);
  char *bytes = reinterpret_cast<char *>(values);
  if (chosen("vector"))
    load_vector<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(8, 16));
  else if (chosen("wide"))
    add_wide<<<1, 1>>>(bytes, sink, BUG_OR_FIXED(20, 24));
  else if (chosen("shared"))
    through_shared<<<1, 16>>>(sink, BUG_OR_FIXED(30, 28));
  else if (chosen("local"))
    through_local<<<1, 1>>>(sink, BUG_OR_FIXED(29, 28));
  else if (chosen("copy"))
    copy<<<1, 1>>>(bytes, reinterpret_cast<Pair *>(bytes + 320), sink, BUG_OR_FIXED(20, 24));
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
