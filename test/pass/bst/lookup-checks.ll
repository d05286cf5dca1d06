; The checks that follow look up a pointer from memory themselves; no value keeps their result.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck --check-prefix=WAY %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-lookup-checks=false -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck --check-prefix=OFF %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-tags=on -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck --check-prefix=OFF %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @elsewhere()

; OFF-NOT: @__gasan_check

; All lookups of a batch come before its accesses. Two accesses at a constant distance have a check each, for the
; report.
; CHECK-LABEL: define void @together(
; CHECK: %q = load ptr, ptr %x
; CHECK: call void @__gasan_check(i64 %[[P:.*]], i64 %{{.*}}, i32 4, i32 4, i32 {{[0-9]+}})
; CHECK-NEXT: %[[NEXT:.*]] = add i64 %{{.*}}, 12
; CHECK-NEXT: call void @__gasan_check(i64 %[[P]], i64 %[[NEXT]], i32 4, i32 4,
; CHECK: call void @__gasan_check(i64 %{{.*}}, i64 %{{.*}}, i32 1, i32 1,
; CHECK-NEXT: load i32
; CHECK: ret void

; The common path: one load for each pointer, and after it one value: whether all is good. Otherwise each pointer is
; searched in the block tables, and then by calls, which get the operands of the pointers' distances instead of the
; pointers.
; WAY-LABEL: define void @together(
; WAY: %p = load ptr
; WAY: br i1 %{{.*}}, label %[[FIND:.*]], label %[[LOOK:.*]], !prof
; WAY: {{^}}[[FIND]]:
; WAY: %[[BLOCK:.*]] = call i32 @llvm.fshl.i32(i32 %{{.*}}, i32 %{{.*}}, i32 23)
; WAY: lshr i32 %[[BLOCK]], 12
; WAY-COUNT-4: load i64, {{.*}}addrspace(1)
; WAY: br i1 %{{.*}}, label %[[DONE:.*]], label %[[FIRST:.*]], !prof
; WAY: {{^}}[[DONE]]:
; WAY-NOT: phi
; WAY: load i32
; WAY: {{^}}[[FIRST]]:
; WAY: load <2 x i64>, ptr %
; WAY: br i1 %{{.*}}, label %[[SECOND:.*]], label %[[LOOK]], !prof
; WAY: {{^}}[[LOOK]]:
; WAY: mul i64 %i, 4
; WAY: %[[DISTANCE:.*]] = add i64 %{{.*}}, 0
; WAY: call void @__gasan_check_any(i64 %[[DISTANCE]], i64 %{{.*}}, i32 4, i32 4,
; WAY: mul i64 %i, 4
; WAY: %[[DISTANCE:.*]] = add i64 %{{.*}}, 12
; WAY: call void @__gasan_check_any(i64 %[[DISTANCE]], i64 %{{.*}}, i32 4, i32 4,
; WAY: call void @__gasan_check_any(i64 0, i64 %{{.*}}, i32 1, i32 1,
; WAY: br label %[[DONE]]
; WAY: {{^}}[[SECOND]]:
; WAY: br i1 %{{.*}}, label %[[DONE]], label %[[LOOK]], !prof
define void @together(ptr %x, ptr %y, i64 %i) sanitize_address {
  %p = load ptr, ptr %y, align 8
  %q = load ptr, ptr %x, align 8
  %a = getelementptr i32, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 12
  %1 = load i32, ptr %a, align 4
  %2 = load i32, ptr %b, align 4
  %sum = add i32 %1, %2
  %byte = trunc i32 %sum to i8
  %3 = load i8, ptr %q, align 1
  %all = add i8 %byte, %3
  store i8 %all, ptr %q, align 1
  ret void
}

; Bounds with other users, too, are looked up once.
; CHECK-LABEL: define void @loop(
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: loop:
; CHECK-NOT: @__gasan_check
; CHECK: ret void
define void @loop(ptr %x, i64 %n) sanitize_address {
entry:
  %p = load ptr, ptr %x, align 8
  %first = load i8, ptr %p, align 1
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %more = load volatile i8, ptr %at, align 1
  %next = getelementptr i8, ptr %at, i64 %n
  %goes = icmp ne i8 %more, 0
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; So are the bounds of a pointer whose memory may be freed before the access.
; CHECK-LABEL: define void @call_between(
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: call void @elsewhere()
; CHECK-NOT: @__gasan_check
; CHECK: ret void
define void @call_between(ptr %x) sanitize_address {
  %p = load ptr, ptr %x, align 8
  call void @elsewhere()
  store i32 1, ptr %p, align 4
  ret void
}

; A kernel may get the bounds of its arguments from the host, and no lookup finds tables of virtual functions.
; CHECK-LABEL: define void @argument(
; CHECK-NOT: @__gasan_check
; CHECK: ret void
define void @argument(ptr %p) sanitize_address {
  %table = load ptr, ptr %p, align 8, !tbaa !0
  %function = load ptr, ptr %table, align 8
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2}
!2 = !{!"Simple C++ TBAA"}
