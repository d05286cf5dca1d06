; Accesses at constant distances in straight-line code have one check; code that may end the thread, or a block's end,
; ends a group.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -gasan-group-checks=false \
; RUN:   -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=SINGLE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @elsewhere()

; From the lowest byte (4 before the first access) to the highest: 4 + 4 + 8 = 16 bytes.
; CHECK-LABEL: define void @together(
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %gasan.size, i64 15)
; CHECK-NOT: usub.sat
; CHECK: %[[FIRST:.*]] = ptrtoint ptr %a to i64
; CHECK-NEXT: %[[LOW:.*]] = add i64 %[[FIRST]], -4
; CHECK-NEXT: %[[OFFSET:.*]] = sub i64 %[[LOW]], %gasan.base
; CHECK-NEXT: %[[BAD:.*]] = icmp uge i64 %[[OFFSET]], %[[LIMIT]]
; CHECK-NEXT: br i1 %[[BAD]]
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: icmp
; CHECK: ret void
; SINGLE-LABEL: define void @together(
; SINGLE-COUNT-3: call void @__gasan_report_bounds
define void @together(ptr %p, i64 %i) sanitize_address {
  %a = getelementptr i8, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %before = getelementptr i8, ptr %a, i64 -4
  %x = load i32, ptr %before, align 1
  %after = getelementptr i8, ptr %a, i64 4
  store i64 2, ptr %after, align 1
  ret void
}

; CHECK-LABEL: define ptx_kernel void @call_between(
; CHECK: call void @__gasan_report_bounds
; CHECK: call void @elsewhere()
; CHECK: call void @__gasan_report_bounds
define ptx_kernel void @call_between(ptr %p) sanitize_address {
  store i8 1, ptr %p, align 1
  call void @elsewhere()
  %next = getelementptr i8, ptr %p, i64 1
  store i8 2, ptr %next, align 1
  ret void
}

; CHECK-LABEL: define void @other_blocks(
; CHECK: call void @__gasan_report_bounds
; CHECK: more:
; CHECK: call void @__gasan_report_bounds
define void @other_blocks(ptr %p, i1 %c) sanitize_address {
  store i8 1, ptr %p, align 1
  br i1 %c, label %more, label %done
more:
  %next = getelementptr i8, ptr %p, i64 1
  store i8 2, ptr %next, align 1
  br label %done
done:
  ret void
}

; Other bounds, or an unknown distance.
; CHECK-LABEL: define void @apart(
; CHECK-COUNT-3: call void @__gasan_report_bounds
; CHECK: ret void
define void @apart(ptr %p, ptr %q, i64 %i) sanitize_address {
  store i8 1, ptr %p, align 1
  store i8 2, ptr %q, align 1
  %next = getelementptr i8, ptr %p, i64 %i
  store i8 3, ptr %next, align 1
  ret void
}
