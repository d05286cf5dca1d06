// Accesses past an array field, in the next field of the same object.
// CATEGORY: intra
// CASE: device read
// CASE: device write
// CASE: managed read
// CASE: managed write
// CASE: shared read
// CASE: shared write
// CASE: local read
// CASE: local write
#include "case.h"

// CHECK: ERROR: AddressSanitizer: intra-object-overflow
// READ: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
// WRITE: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)

struct Record {
  int id;
  int values[8];
  int next[8];
};

static NOINLINE __device__ void clear(Record *record) {
  record->id = 1;
  for (int i = 0; i < 8; ++i)
    record->values[i] = record->next[i] = i;
}

__global__ void allocated(Record *record, int *sink, int index, bool read) {
  clear(record);
  if (read)
    // DEVICE+READ: #0 allocated(Record*, int*, int, bool) {{.*}}fields.cu:[[#@LINE+2]]:
    // MANAGED+READ: #0 allocated(Record*, int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    *sink = record->values[index];
  else {
    // DEVICE+WRITE: #0 allocated(Record*, int*, int, bool) {{.*}}fields.cu:[[#@LINE+2]]:
    // MANAGED+WRITE: #0 allocated(Record*, int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    record->values[index] = 7;
    *sink = record->next[7];
  }
}

__global__ void in_shared(int *sink, int index, bool read) {
  __shared__ Record record;
  clear(&record);
  if (read)
    // SHARED+READ: #0 in_shared(int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    *sink = record.values[index];
  else {
    // SHARED+WRITE: #0 in_shared(int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    record.values[index] = 7;
    *sink = record.next[7];
  }
}

__global__ void on_stack(int *sink, int index, bool read) {
  Record record;
  clear(&record);
  if (read)
    // LOCAL+READ: #0 on_stack(int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    *sink = record.values[index];
  else {
    // LOCAL+WRITE: #0 on_stack(int*, int, bool) {{.*}}fields.cu:[[#@LINE+1]]:
    record.values[index] = 7;
    *sink = record.next[7];
  }
}

// CHECK: is located 0 bytes after {{.*}}'Record::values' {{.*}}of size 32

int main(int, char **arguments) {
  words = arguments;
  int *sink = allocate(1);
  Record *record = reinterpret_cast<Record *>(allocate(sizeof(Record) / sizeof(int)));
  int index = BUG_OR_FIXED(8, 7);
  bool read = chosen("read");
  if (chosen("shared"))
    in_shared<<<1, 1>>>(sink, index, read);
  else if (chosen("local"))
    on_stack<<<1, 1>>>(sink, index, read);
  else
    allocated<<<1, 1>>>(record, sink, index, read);
  synchronise();
  int result = first_of(sink);
  CUDA(cudaFree(sink));
  CUDA(cudaFree(record));
  return finish(result, 7);
}
