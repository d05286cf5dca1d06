// A function with no_sanitize("address") keeps its accesses unchecked in every caller, even if inlining is forced; and
// inlining removes no checks, either.
// RUN: %cuda_device -O2 %s -emit-llvm -S -o - -Xclang -fsanitize=address -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow \
// RUN:   | FileCheck %s --check-prefixes=CHECK,O2
// RUN: %cuda_device -O0 %s -emit-llvm -S -o - -Xclang -fsanitize=address -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=shadow \
// RUN:   | FileCheck %s

#define EXEMPT __attribute__((no_sanitize("address")))

// CHECK-LABEL: define {{.*}} @exempt(
// CHECK-NOT: __gasan
// CHECK: ret void
extern "C" EXEMPT __global__ void exempt(short *p) {
  *p = 1;
}

EXEMPT __device__ __attribute__((always_inline)) static void forced(short *p) {
  *p = 2;
}

EXEMPT __device__ static void small(short *p) {
  *p = 3;
  asm volatile("st.global.u16 [%0], 4;" : : "l"(p) : "memory");
}

// CHECK-LABEL: define {{.*}} @checked(
// CHECK-NOT: i64 2, i32
// CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 0)
// CHECK-NOT: i64 2, i32
// CHECK: ret void
extern "C" __global__ void checked(int *p, short *q) {
  *p = 1;
  forced(q);
  small(q + 1);
}

__device__ static void helper(int *p) {
  *p = 4;
}

// CHECK-LABEL: define {{.*}} @exempt_caller(
// O2-NOT: call void @__gasan_report
// CHECK: call {{.*}}helper
// CHECK: ret void
extern "C" EXEMPT __global__ void exempt_caller(int *p) {
  helper(p);
}

// CHECK-LABEL: define {{.*}}helper
// CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 1)
