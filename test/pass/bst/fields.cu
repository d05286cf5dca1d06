// A subscript of a field that is an array is compared with the field's size where the field is accessed. A member
// without a size of its own, and an address that is not accessed there, are compared with the whole object only.
// RUN: %cuda_device -O2 -Xclang -debug-info-kind=limited -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off | FileCheck %s

struct Record {
  int id;
  int values[8];
  union {
    int narrow[2];
    int wide[6];
  };
  int rows[2][3];
  int tail[1];
};

struct Flexible {
  int count;
  int values[];
};

// CHECK-LABEL: define {{.*}} @_Z5valueP6Recordi(
// CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %{{.*}}, i64 32, i32
// CHECK-LABEL: }
__global__ void value(Record *record, int i) {
  record->values[i] = 1;
}

// The optimiser removes comparisons that it can prove: the loop has no comparison with the field.
// CHECK-LABEL: define {{.*}} @_Z4fillP6Record(
// CHECK-NOT: i64 32, i32
// CHECK-LABEL: }
__global__ void fill(Record *record) {
  for (int i = 0; i < 8; ++i)
    record->values[i] = i;
}

// All rows are one field.
// CHECK-LABEL: define {{.*}} @_Z3rowP6Recordii(
// CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %{{.*}}, i64 24, i32
// CHECK-LABEL: }
__global__ void row(Record *record, int i, int k) {
  record->rows[i][k] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z6unionsP6Recordi(
// CHECK-NOT: i64 8, i32
// CHECK-NOT: i64 24, i32
// CHECK-LABEL: }
__global__ void unions(Record *record, int i) {
  record->narrow[i] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z4lastP6Recordi(
// CHECK-NOT: i64 4, i32 {{[^%]*}}i64 %{{.*}}, i64 4, i32
// CHECK-LABEL: }
__global__ void last(Record *record, int i) {
  record->tail[i] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z8flexibleP8Flexiblei(
// CHECK-COUNT-1: call void @__gasan_report_bounds
// CHECK-NOT: call void @__gasan_report_bounds
// CHECK-LABEL: }
__global__ void flexible(Flexible *object, int i) {
  object->values[i] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z4keptP6RecordPPii(
// CHECK-NOT: i64 32, i32
// CHECK-LABEL: }
__global__ void kept(Record *record, int **out, int i) {
  *out = &record->values[i];
}
