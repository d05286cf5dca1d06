// Accesses by pointers to no memory: null, a field of a null pointer, and a number that is no address.
// CATEGORY: wild
// CASE: null read
// CASE: null write
// CASE: null field
// CASE: wild read
// CASE: wild write
// CASE: wild impossible read
#include "case.h"

// NULL: ERROR: AddressSanitizer: null-address
// WILD: ERROR: AddressSanitizer: wild-address
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

struct Wide {
  int first[100];
  int field;
};

__global__ void load(const int *values, int *sink) {
  // READ: #0 load(int const*, int*) {{.*}}wild.cu:[[#@LINE+1]]:
  *sink = values[0];
}

__global__ void store(int *values, int *sink) {
  // WRITE: #0 store(int*, int*) {{.*}}wild.cu:[[#@LINE+1]]:
  values[0] = 7;
  *sink = 7;
}

__global__ void load_field(const Wide *wide, int *sink) {
  // FIELD: #0 load_field(Wide const*, int*) {{.*}}wild.cu:[[#@LINE+1]]:
  *sink = wide->field;
}

// IMPOSSIBLE: 0xabababababababa8 is an address that no memory can have

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1), *values = allocate(101);
  int *bad = chosen("impossible") ? reinterpret_cast<int *>(0xabababababababa8)
             : chosen("wild")     ? reinterpret_cast<int *>(0x12345678a000)
                                  : nullptr;
  int *used = BUG_OR_FIXED(bad, values + (chosen("field") ? 0 : 7));
  if (chosen("field"))
    load_field<<<1, 1>>>(reinterpret_cast<Wide *>(used), sink);
  else if (chosen("read"))
    load<<<1, 1>>>(used, sink);
  else
    store<<<1, 1>>>(used, sink);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(values));
  CUDA(cudaFree(sink));
  return finish(result, chosen("field") ? 100 : 7);
}
