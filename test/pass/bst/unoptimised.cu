// At -O0 pointers are in variables; after promotion the pass follows them as in optimised code: one root each.
// RUN: %cuda_device -O0 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -mllvm -asan-globals=0 -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off | FileCheck %s

// CHECK-LABEL: define {{.*}} @_Z4walkPii(
// CHECK-COUNT-1: call %struct.gasan_bounds @__gasan_bounds_global(
// CHECK-NOT: call %struct.gasan_bounds
// CHECK: }
__global__ void walk(int *p, int n) {
  int *end = p + n;
  while (p != end)
    *p++ = 0;
  p -= n;
  p[1] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z4callPi(
// CHECK: call {{.*}} @_ZL4nextPi.bounds(ptr {{.*}}, i64 %{{.*}}, i64 %{{.*}}, i32 %{{.*}})
// CHECK-NOT: call %struct.gasan_bounds
// CHECK: }
static __device__ int *next(int *p) {
  return p + 1;
}
__global__ void call(int *p) {
  *next(p) = 1;
}
