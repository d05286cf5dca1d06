// An access one element past an array in a struct, through a pointer or reference that is set once.
// RUN: %gasan -O0 %s -o %t.O0
// RUN: not %run %t.O0 pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t.O0 reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not %run %t.O0 element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not %run %t.O0 rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %run %t.O0 local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t.O0 outer 2>&1 | FileCheck %s --check-prefix=OUTER
// RUN: %gasan -O1 %s -o %t.O1
// RUN: not %run %t.O1 pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t.O1 local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not %run %t element 2>&1 | FileCheck %s --check-prefix=ELEMENT
// RUN: not %run %t rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %run %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t outer 2>&1 | FileCheck %s --check-prefix=OUTER
// RUN: %gasan -O3 %s -o %t.O3
// RUN: not %run %t.O3 pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not %run %t.O3 reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: %gasan -O0 -DFIXED %s -o %t.O0.fixed
// RUN: %run %t.O0.fixed all 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed all 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
constexpr int kOver = 0;
#else
constexpr int kOver = 1;
#endif

struct Pair {
  int key, value;
};
struct Record {
  int id;
  int values[8];
  int next[8];
  Pair pairs[4];
  int rows[2][3];
  int rest[8];
};
struct Table {
  Record records[2];
  Record spare;
};

__global__ void pointer(Table *table, int *out) {
  int *values = table->spare.values;
  for (int i = 0; i < 8 + kOver; ++i)
    // POINTER: ERROR: AddressSanitizer: intra-object-overflow
    // POINTER-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // POINTER-NEXT: #0 pointer(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
    // POINTER: is located 0 bytes after field 'Record::values' defined in '{{.*}}kept.cu:39' of size 32
    values[i] = i;
}

// In shared memory, the field's address is a constant.
__global__ void reference(Table *table, int *out) {
  __shared__ Record shared;
  auto &values = shared.values;
  for (int i = 0; i < 8 + kOver; ++i)
    // REFERENCE: ERROR: AddressSanitizer: intra-object-overflow
    // REFERENCE-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // REFERENCE-NEXT: #0 reference(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
    // REFERENCE: is located 0 bytes after field 'Record::values' defined in '{{.*}}kept.cu:39' of size 32
    values[i] = i;
  *out = shared.next[0];
}

__global__ void element(Table *table, int *out) {
  Pair *last = &table->spare.pairs[3];
  // ELEMENT: ERROR: AddressSanitizer: intra-object-overflow
  // ELEMENT-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // ELEMENT-NEXT: #0 element(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
  // ELEMENT: is located 4 bytes after field 'Record::pairs' defined in '{{.*}}kept.cu:41' of size 32
  *out = last[kOver].value + last[-3].key;
}

__global__ void rows(Table *table, int *out) {
  int (*rows)[3] = table->spare.rows;
  // ROWS: ERROR: AddressSanitizer: intra-object-overflow
  // ROWS-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
  // ROWS-NEXT: #0 rows(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
  // ROWS: is located 0 bytes after field 'Record::rows' defined in '{{.*}}kept.cu:42' of size 24
  *out = rows[1 + kOver][0] + rows[0][5];
}

// Each round of a loop sets the pointer again.
__global__ void local(Table *table, int *out) {
  Record records[2];
  for (int i = 0; i < 8; ++i)
    records[0].values[i] = records[0].next[i] = records[1].values[i] = i;
  for (int k = 0; k < 2; ++k) {
    const int *values = records[k].values;
    for (int i = 0; i < 8 + kOver * k; ++i)
      // LOCAL: ERROR: AddressSanitizer: intra-object-overflow
      // LOCAL-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
      // LOCAL-NEXT: #0 local(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
      // LOCAL: is located 0 bytes after field 'Record::values' defined in '{{.*}}kept.cu:39' of size 32
      *out += values[i];
  }
}

__global__ void outer(Table *table, int *out) {
  for (int i = 0; i < 2 + kOver; ++i) {
    Record &record = table->records[i];
    // OUTER: ERROR: AddressSanitizer: intra-object-overflow
    // OUTER-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0)
    // OUTER-NEXT: #0 outer(Table*, int*) {{.*}}kept.cu:[[#@LINE+2]]:
    // OUTER: is located 0 bytes after field 'Table::records' defined in '{{.*}}kept.cu:46' of size 312
    record.id = i;
  }
}

// Legal uses of pointers from an array's name, and of references, for several fields.
__device__ __noinline__ int sum(const int *values, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i)
    result += values[i];
  return result;
}

__global__ void legal(Table *table, int *out) {
  Record &record = table->spare;
  int *both = record.values; // passed to a function, for two fields
  *out += sum(both, 16) + both[9];
  int *walked = record.values; // moved
  for (int i = 0; i < 16; ++i)
    *walked++ = i;
  int *compared = record.values;
  for (int i = 0; compared + i != record.next + 8; ++i)
    compared[i] = i;
  int *cleared = record.values;
  memset(cleared, 0, sizeof record.values + sizeof record.next);
  int *words = record.values; // cast
  *out += reinterpret_cast<longlong2 *>(words - 1)[3].x != 0;
  auto &row = record.rows[0];
  *out += row[4];
  int *end = &record.values[8]; // container_of by a pointer to the next field
  *out += reinterpret_cast<Record *>(reinterpret_cast<char *>(end) - offsetof(Record, next))->id;
  *out += end == record.next ? end[-1] : 0;
}

int main(int, char **arguments) {
  const bool all = !strcmp(arguments[1], "all");
  struct {
    const char *name;
    void (*kernel)(Table *, int *);
  } cases[] = {{"pointer", pointer}, {"reference", reference}, {"element", element}, {"rows", rows},
               {"local", local},     {"outer", outer},         {"legal", legal}};
  Table *table;
  int *out;
  cudaMalloc(&table, sizeof *table);
  cudaMalloc(&out, sizeof *out);
  cudaMemset(table, 0, sizeof *table);
  cudaMemset(out, 0, sizeof *out);
  for (auto &one : cases)
    if (all || !strcmp(arguments[1], one.name))
      one.kernel<<<1, 1>>>(table, out);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(table);
  cudaFree(out);
  return failed;
}
