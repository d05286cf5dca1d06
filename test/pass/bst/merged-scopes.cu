// For a pointer that may point to a variable or to something else, an access after the end of the variable's scope
// tests whether it goes to the variable, by flags that the optimiser turns into values. If no pointer outlives a
// variable, there is no test.
// RUN: %cuda_device -O0 -gline-tables-only %s -emit-llvm -S -o %t.ll -Xclang -disable-O0-optnone \
// RUN:   -Xclang -fsanitize=address -Xclang -fsanitize-address-use-after-scope -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-constructor-kind=none \
// RUN:   -Xclang -disable-llvm-passes
// RUN: %opt_gasan -passes=gasan-scopes -S %t.ll -o - | FileCheck %s

__device__ void look(int *values);

// CHECK-LABEL: define {{.*}} @_Z7outsidePiS_i(
// CHECK: %[[TO:gasan.leads[0-9]*]] = alloca i1
// CHECK-NOT: alloca i1
// CHECK: store i1 false, ptr %[[TO]]
// CHECK: store i1 true, ptr %[[TO]]
// CHECK: store i1 false, ptr %[[TO]]
// CHECK: %[[IS:.*]] = load i1, ptr %[[TO]]
// CHECK: %[[GONE:.*]] = xor i1 {{.*}}, true
// CHECK: %[[BAD:.*]] = and i1 %[[IS]], %[[GONE]]
// CHECK: br i1 %[[BAD]]
// CHECK: call void @__gasan_source_fault(ptr %{{.*}}, i64 4, i32 0, ptr %{{.*}}, i64 0)
// CHECK-NEXT: unreachable
// CHECK: }
__global__ void outside(int *out, int *other, int n) {
  int *p = out;
  if (n) {
    int values[8];
    look(values);
    p = &values[n];
    if (n == 3)
      p = other;
  }
  out[1] = *p;
}

// CHECK-LABEL: define {{.*}} @_Z6insidePiS_i(
// CHECK-NOT: alloca i1
// CHECK-NOT: __gasan_source_fault
// CHECK: }
__global__ void inside(int *out, int *other, int n) {
  for (int i = 0; i < n; ++i) {
    int values[8];
    look(values);
    int *p = i == 3 ? other : &values[n];
    *p = i;
  }
}

template <typename T>
__device__ const T &greater_of(const T &a, const T &b) {
  return a < b ? b : a;
}

// Whether the function returns a pointer to the variable is tested while the variable is in scope.
// CHECK-LABEL: define {{.*}} @_Z9temporaryPii(
// CHECK: %[[GIVEN:.*]] = call {{.*}} @_Z10greater_of
// CHECK: ptrtoint ptr %[[GIVEN]] to i64
// CHECK: %[[OFFSET:.*]] = sub i64
// CHECK: icmp ult i64 %[[OFFSET]], 4
// CHECK: call void @llvm.lifetime.end
// CHECK: call void @__gasan_source_fault(
// CHECK: }
__global__ void temporary(int *out, int n) {
  const int &most = greater_of(n, n + 1);
  *out = most;
}

// CHECK-LABEL: define {{.*}} @_Z5valuePii(
// CHECK-NOT: ptrtoint
// CHECK-NOT: __gasan_source_fault
// CHECK: }
__global__ void value(int *out, int n) {
  *out = greater_of(n, n + 1);
}

__device__ void use(const int &value);

// The accesses of the function are not known here: it gets a pointer that has the bounds of a variable that is out of
// scope.
// CHECK-LABEL: define {{.*}} @_Z6passedPii(
// CHECK: %[[GONE:.*]] = call ptr @__gasan_out_of_scope(ptr %[[POINTER:.*]], ptr %{{.*}})
// CHECK: %[[GIVEN:.*]] = select i1 %{{.*}}, ptr %[[GONE]], ptr %[[POINTER]]
// CHECK: call void @_Z3useRKi({{.*}} %[[GIVEN]])
// CHECK: }
__global__ void passed(int *out, int n) {
  const int &most = greater_of(n, n + 1);
  use(most);
}
