; Each width whose access certainly stays in one shadow block gets a test of the window and one load of the shadow; the
; others go to the outlined check.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @__gasan_params = addrspace(4) externally_initialized global { i64, i64, i32, i32, i64, i64, i32,
; CHECK-SAME: {{^}} i32, i64, i32, i32,
; CHECK-SAME: { i64 0, i64 0, i32 0, i32 1, i64 0, i64 0, i32 0, i32 {{[0-9]+}}, i64 0, i32 0, i32 0, {{.*}} }, align 8

; CHECK-LABEL: define i8 @load1(
; CHECK: %[[A:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[HIGH:.*]] = lshr i64 %[[A]], 32
; CHECK: %[[HIGH32:.*]] = trunc i64 %[[HIGH]] to i32
; CHECK: %[[WINDOW_MASK:.*]] = load i32, ptr addrspace(4) getelementptr inbounds (i8, ptr addrspace(4) @__gasan_params,
; CHECK-SAME: {{^}} i32 16), align 4, !invariant.load
; CHECK: %[[WINDOW_BASE:.*]] = load i32, ptr addrspace(4) getelementptr inbounds (i8, ptr addrspace(4) @__gasan_params,
; CHECK-SAME: {{^}} i32 20), align 4, !invariant.load
; CHECK: %[[WINDOW:.*]] = and i32 %[[HIGH32]], %[[WINDOW_MASK]]
; CHECK: %[[INSIDE:.*]] = icmp eq i32 %[[WINDOW]], %[[WINDOW_BASE]]
; CHECK: br i1 %[[INSIDE]], label %[[CHECK:.*]], label %[[GO_ON:[0-9]+]]{{$}}
; CHECK: [[CHECK]]:
; CHECK: %[[MASK:.*]] = load i32, ptr addrspace(4) getelementptr inbounds (i8, ptr addrspace(4) @__gasan_params, i32 8),
; CHECK-SAME: {{^}} align 4, !invariant.load
; CHECK: %[[SHIFTED:.*]] = lshr i64 %[[A]], 7
; CHECK: %[[NARROW:.*]] = trunc i64 %[[SHIFTED]] to i32
; CHECK: %[[INDEX:.*]] = and i32 %[[NARROW]], %[[MASK]]
; CHECK: %[[BASE:.*]] = load i64, ptr addrspace(4) @__gasan_params, align 8, !invariant.load
; CHECK: %[[WIDE:.*]] = zext i32 %[[INDEX]] to i64
; CHECK: %[[SUM:.*]] = add i64 %[[BASE]], %[[WIDE]]
; CHECK: %[[SHADOW:.*]] = inttoptr i64 %[[SUM]] to ptr addrspace(1)
; CHECK: %[[N:.*]] = load i8, ptr addrspace(1) %[[SHADOW]]
; CHECK: %[[LOW:.*]] = trunc i64 %[[A]] to i32
; CHECK: %[[LAST:.*]] = and i32 %[[LOW]], 127
; CHECK: %[[ACCESSIBLE:.*]] = zext i8 %[[N]] to i32
; CHECK: %[[POISONED:.*]] = icmp uge i32 %[[LAST]], %[[ACCESSIBLE]]
; CHECK: br i1 %[[POISONED]], label %[[COLD:[0-9]+]], label %[[CHECKED:[0-9]+]], !prof ![[UNLIKELY:[0-9]+]]
; CHECK: [[COLD]]:
; CHECK-NEXT: call void @__gasan_report(i64 %[[A]], i64 1, i32 0)
; CHECK-NEXT: unreachable
; CHECK: [[CHECKED]]:
; CHECK-NEXT: br label %[[GO_ON]]
; CHECK: [[GO_ON]]:
; CHECK-NEXT: load i8, ptr %p
define i8 @load1(ptr %p) "gasan-sanitize" {
  %v = load i8, ptr %p, align 1
  ret i8 %v
}

; clang's own mark suffices, too.
; CHECK-LABEL: define i16 @load2(
; CHECK: add nuw nsw i32 %{{.*}}, 1
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 2, i32 1)
define i16 @load2(ptr %p) sanitize_address {
  %v = load i16, ptr %p, align 2
  ret i16 %v
}

; CHECK-LABEL: define void @store4(
; CHECK: ptrtoint ptr addrspace(1) %p to i64
; CHECK: add nuw nsw i32 %{{.*}}, 3
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 2)
define void @store4(ptr addrspace(1) %p) "gasan-sanitize" {
  store i32 1, ptr addrspace(1) %p, align 4
  ret void
}

; CHECK-LABEL: define double @load8(
; CHECK: add nuw nsw i32 %{{.*}}, 7
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 3)
define double @load8(ptr %p) "gasan-sanitize" {
  %v = load double, ptr %p, align 8
  ret double %v
}

; CHECK-LABEL: define <3 x float> @load12(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 12, i32 4)
define <3 x float> @load12(ptr %p) "gasan-sanitize" {
  %v = load <3 x float>, ptr %p, align 16
  ret <3 x float> %v
}

; CHECK-LABEL: define <4 x float> @load16(
; CHECK: add nuw nsw i32 %{{.*}}, 15
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 5)
define <4 x float> @load16(ptr %p) "gasan-sanitize" {
  %v = load <4 x float>, ptr %p, align 16
  ret <4 x float> %v
}

; CHECK-LABEL: define void @store32(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 32, i32 6)
define void @store32(ptr %p, <4 x i64> %v) "gasan-sanitize" {
  store <4 x i64> %v, ptr %p, align 32
  ret void
}

; Sixteen bytes of alignment 8 may cross from one block to the next.
; CHECK-LABEL: define <4 x float> @misaligned(
; CHECK-NOT: __gasan_report
; CHECK: %[[A:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[A]], i64 16, i32 7)
; CHECK-NEXT: load <4 x float>
define <4 x float> @misaligned(ptr %p) "gasan-sanitize" {
  %v = load <4 x float>, ptr %p, align 8
  ret <4 x float> %v
}

; CHECK-LABEL: define void @odd(
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 12, i32 8)
define void @odd(ptr %p, <3 x float> %v) "gasan-sanitize" {
  store <3 x float> %v, ptr %p, align 4
  ret void
}

; CHECK: declare void @__gasan_report(i64, i64, i32) #[[REPORT:[0-9]+]]
; CHECK: attributes #[[REPORT]] = { cold noinline noreturn nounwind }
; CHECK: ![[UNLIKELY]] = !{!"branch_weights", i32 1, i32 1048575}
