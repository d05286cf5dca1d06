// With -gasan-partitions=on a pointer variable that is set once, into dynamic shared memory, begins a buffer that ends where the next begins.
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst -mllvm -gasan-partitions=on \
// RUN:   | FileCheck %s
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst | FileCheck --check-prefix=OFF %s

// Off, the buffers are one region. On, the distance to the other one's start counts if that lies behind this one's and in the region.
// CHECK-LABEL: define {{.*}} @_Z3twoii(
// CHECK: %[[REST:.*]] = call i64 @llvm.usub.sat.i64(
// CHECK: %[[DISTANCE:.*]] = sub i64 %{{[0-9]+}}, %{{[0-9]+$}}
// CHECK-NEXT: %[[OTHER:.*]] = icmp ne i64 %[[DISTANCE]], 0
// CHECK-NEXT: %[[NEARER:.*]] = icmp ult i64 %[[DISTANCE]], %[[REST]]
// CHECK-NEXT: %[[BOTH:.*]] = and i1 %[[OTHER]], %[[NEARER]]
// CHECK-NEXT: %[[SIZE:.*]] = select i1 %[[BOTH]], i64 %[[DISTANCE]], i64 %[[REST]]
// CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4, i32 0, i64 %{{.*}}, i64 %[[SIZE]],
// CHECK-NOT: @__gasan_partition
// OFF-LABEL: define {{.*}} @_Z3twoii(
// OFF-NOT: select i1 %{{.*}}, i64 %{{.*}}, i64 %
// OFF: ret void
__global__ void two(int n, int i) {
  extern __shared__ int region[];
  int *left = region;
  int *right = region + n;
  left[i] = 1;
  right[i] = 2;
}

// Set twice, or excepted, it begins none.
// CHECK-LABEL: define {{.*}} @_Z4nonebii(
// CHECK-NOT: icmp ult i64
// CHECK: ret void
__global__ void none(bool second, int n, int i) {
  extern __shared__ int region[];
  int *moved = region;
  __attribute__((annotate("gasan_no_partition"))) int *view = region + n;
  if (second)
    moved = region + 2 * n;
  moved[i] = 1;
  view[i] = 2;
}
