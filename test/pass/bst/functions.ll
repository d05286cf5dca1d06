; Bounds are passed with pointers: parameters after the others, and a result's bounds with the result. A caller without
; bounds calls a thunk.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: llc -mcpu=sm_80 %t.ll -o %t.ptx
; RUN: %cuda/bin/ptxas -arch=sm_80 %t.ptx -o %t.cubin

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pair = type { ptr, i32 }
@table = addrspace(1) constant [1 x ptr] [ptr @taken]

; Visible to other modules: the old name remains, and looks bounds up.
; CHECK-LABEL: define i32 @read(ptr noundef %0, i64 %1)
; CHECK: %[[A:.*]] = ptrtoint ptr %0 to i64
; CHECK: %[[R:.*]] = call %struct.gasan_bounds @__gasan_bounds{{(_with_frames)?}}(i64 %[[A]], i32 {{[-0-9]+}})
; CHECK: call i32 @read.bounds(ptr %0, i64 %1, i64 %{{.*}}, i64 %{{.*}}, i32 %{{.*}})
; CHECK-LABEL: define internal i32 @read.bounds(ptr noundef %p, i64 %i, i64 %0, i64 %1, i32 %2)
; CHECK-NOT: @__gasan_bounds(
; CHECK: sub i64 %{{.*}}, %0
; CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %0, i64 %1, i32 %2)
; CHECK: }
define i32 @read(ptr noundef %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %a, align 1
  ret i32 %v
}

; Internal, and its address is not taken: no thunk. Its result has bounds.
; CHECK-NOT: define {{.*}} @middle(
; CHECK-LABEL: define internal { ptr, i64, i64, i32 } @middle.bounds(ptr %p, i64 %0, i64 %1, i32 %2)
; CHECK: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i64 %0, 1
; CHECK-NEXT: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i64 %1, 2
; CHECK-NEXT: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i32 %2, 3
define internal nonnull ptr @middle(ptr returned %p) "gasan-sanitize" {
  %m = getelementptr i8, ptr %p, i64 100
  ret ptr %m
}

; Recursion; a call that is not instrumented does not get bounds.
; CHECK-LABEL: define internal i32 @sum.bounds(ptr %p, i32 %n, i64 %0, i64 %1, i32 %2)
; CHECK: call i32 @sum.bounds(ptr %next, i32 %less, i64 %0, i64 %1, i32 %2)
define internal i32 @sum(ptr %p, i32 %n) "gasan-sanitize" {
entry:
  %done = icmp eq i32 %n, 0
  br i1 %done, label %out, label %more
more:
  %v = load i32, ptr %p, align 1
  %next = getelementptr i8, ptr %p, i64 4
  %less = sub i32 %n, 1
  %rest = call i32 @sum(ptr %next, i32 %less)
  %all = add i32 %v, %rest
  ret i32 %all
out:
  ret i32 0
}

; CHECK-LABEL: define internal void @taken(ptr %p)
; CHECK: call %struct.gasan_bounds @__gasan_bounds{{.*}}(
; CHECK: store
define internal void @taken(ptr %p) "gasan-sanitize" {
  store i8 0, ptr %p
  ret void
}

; A pointer to a variable that ends with the function.
; CHECK-LABEL: define internal { ptr, i64, i64, i32 } @dead.bounds()
; CHECK: %[[BASE:.*]] = ptrtoint ptr %{{.*}} to i64
; CHECK: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i64 %[[BASE]], 1
; CHECK-NEXT: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i64 0, 2
; CHECK-NEXT: insertvalue { ptr, i64, i64, i32 } %{{.*}}, i32 -251, 3
define internal ptr @dead() "gasan-sanitize" {
  %x = alloca [4 x i32]
  %y = getelementptr i8, ptr %x, i64 4
  ret ptr %y
}

; A copy that belongs to the callee: pointers loaded from it are looked up.
; CHECK-LABEL: define internal void @copied.bounds(ptr byval(%pair) %s, ptr %q, i64 %0, i64 %1, i32 %2)
; CHECK: %l = load ptr, ptr %s
; CHECK: call void @__gasan_check{{.*}}(
define internal void @copied(ptr byval(%pair) %s, ptr %q) "gasan-sanitize" {
  %l = load ptr, ptr %s, align 1
  store i8 0, ptr %l
  store i8 0, ptr %q
  ret void
}

; CHECK-LABEL: define ptx_kernel void @kernel(ptr %p, ptr %f)
; CHECK: %[[R:.*]] = call %struct.gasan_bounds @__gasan_bounds_global(
; CHECK-NEXT: %[[BASE:.*]] = extractvalue %struct.gasan_bounds %[[R]], 0
; CHECK-NEXT: %[[SIZE:.*]] = extractvalue %struct.gasan_bounds %[[R]], 1
; CHECK: %[[OBJECT:.*]] = extractvalue %struct.gasan_bounds %[[R]], 2
; CHECK: call i32 @read.bounds(ptr %p, i64 1, i64 %[[BASE]], i64 %[[SIZE]], i32 %[[OBJECT]])
; CHECK: call { ptr, i64, i64, i32 } @middle.bounds(ptr %p, i64 %[[BASE]], i64 %[[SIZE]], i32 %[[OBJECT]])
; CHECK: call { ptr, i64, i64, i32 } @dead.bounds()
; CHECK: call void @copied.bounds(ptr byval(%pair) %p, ptr %p, i64 %[[BASE]], i64 %[[SIZE]], i32 %[[OBJECT]])
; CHECK: call void %f(ptr %p)
define ptx_kernel void @kernel(ptr %p, ptr %f) "gasan-sanitize" {
  %a = call i32 @read(ptr %p, i64 1)
  %m = call ptr @middle(ptr returned %p)
  %b = call i32 @sum(ptr %m, i32 5)
  %d = call ptr @dead()
  store i32 %a, ptr %d, align 1
  call void @copied(ptr byval(%pair) %p, ptr %p)
  call void %f(ptr %p)
  ret void
}

; CHECK-LABEL: define void @exempt(
; CHECK: call i32 @read(ptr %p, i64 0)
define void @exempt(ptr %p) {
  %a = call i32 @read(ptr %p, i64 0)
  ret void
}
