// A local variable whose address gets into memory lies in its thread's arena: entered where its scope begins, left when
// its function returns. A variable whose address stays in registers, or in a variable that no other thread or function
// sees, stays where it is.
// RUN: %cuda_device -O1 -gline-tables-only %s -emit-llvm -S -o - \
// RUN:   -Xclang -fsanitize=address -Xclang -fsanitize-address-use-after-scope -mllvm -asan-globals=0 \
// RUN:   -mllvm -asan-constructor-kind=none \
// RUN:   -fpass-plugin=%plugin -Xclang -load -Xclang %plugin -mllvm -gasan-instrument -mllvm -gasan-mode=bst \
// RUN:   -mllvm -gasan-launch-proof=off | FileCheck %s

// A pointer from memory may point to such a variable.
// CHECK-LABEL: define {{.*}} @_Z6storedPPii(
// CHECK: call void @__gasan_frames_begin(ptr %{{.*}}, i32 {{[1-9][0-9]*}})
// CHECK: %[[PLACE:.*]] = call ptr @__gasan_frame_enter(ptr %[[VALUES:.*]], i32 32,
// CHECK: call void @__gasan_frame_scope(ptr %[[PLACE]], ptr %[[VALUES]], i32 1)
// CHECK: store ptr %[[PLACE]], ptr %{{.*}}
// CHECK: call void @__gasan_check_with_frames(
// CHECK: call void @__gasan_frame_scope(ptr %[[PLACE]], ptr %[[VALUES]], i32 0)
// CHECK: ret void
__global__ void stored(int **slot, int i) {
  int values[8];
  for (int k = 0; k < 8; ++k)
    values[k] = k;
  slot[0] = values;
  slot[1][i] = 1;
}

// CHECK-LABEL: define {{.*}} @_Z8functionPPi(
// CHECK: %[[PLACE:.*]] = call ptr @__gasan_frame_enter(ptr %[[VALUES:.*]], i32 32,
// CHECK: call void @__gasan_frame_leave(ptr %[[PLACE]]
// CHECK-NEXT: ret void
__device__ __noinline__ void function(int **slot) {
  int values[8];
  for (int k = 0; k < 8; ++k)
    values[k] = k;
  slot[0] = values;
}
__global__ void calls(int **slot) {
  function(slot);
}

// CHECK-LABEL: define {{.*}} @_Z4keptPii(
// CHECK-NOT: __gasan_frame_
// CHECK: ret void
__global__ void kept(int *result, int i) {
  int values[8];
  for (int k = 0; k < 8; ++k)
    values[k] = result[k];
  *result = values[i];
}
