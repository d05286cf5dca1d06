// After the end of its scope, a local variable has size 0 for an access; inside of its scope, its size is a constant.
// The pointers get their values in functions that are inlined: pointers within one function are checked earlier
// (merged-scopes.cu).
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -Xclang -fsanitize-address-use-after-scope -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off -mllvm -gasan-batch-checks=false | FileCheck %s

__device__ void look(int *values);
static __device__ void keep(int *&pointer, int *values) {
  pointer = values;
}

// CHECK-LABEL: define {{.*}} @_Z6insidePii(
// CHECK: call void @_Z4lookPi(
// CHECK: %[[OFFSET:.*]] = {{shl|mul}} i64 %{{.*}}, {{2|4}}
// CHECK: %[[FROZEN:.*]] = freeze i64 %[[OFFSET]]
// CHECK: icmp uge i64 %[[FROZEN]], 29
// CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %{{.*}}, i64 32, i32 1)
// CHECK: ret void
__global__ void inside(int *result, int i) {
  int values[8];
  look(values);
  *result = values[i];
}

// CHECK-LABEL: define {{.*}} @_Z7outsidePii(
// CHECK: call void @_Z4lookPi(
// CHECK: %[[SIZE:.*]] = select i1 false, i64 32, i64 0
// CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %{{.*}}, i64 %[[SIZE]], i32 2)
// CHECK: ret void
__global__ void outside(int *result, int i) {
  int *pointer;
  {
    int values[8];
    look(values);
    keep(pointer, values);
  }
  *result = pointer[i];
}

// Not for pointers that only inlining merges: such loads may be the optimiser's own.
// CHECK-LABEL: define {{.*}} @_Z6mergedPiS_i(
// CHECK: call void @_Z4lookPi(
// CHECK-NOT: select i1
// CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4,
// CHECK: ret void
__global__ void merged(int *result, int *other, int i) {
  int *pointer = other;
  if (i > 3) {
    int values[8];
    look(values);
    keep(pointer, values);
  }
  *result = pointer[i];
}
