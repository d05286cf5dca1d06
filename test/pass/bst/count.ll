; -gasan-count-checks: a call for each executed check and for each access; without the option no calls.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-count-checks -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=NONE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; NONE-NOT: __gasan_count
; Two accesses that are checked together.
; CHECK-LABEL: define void @pair(
; CHECK: call void @__gasan_count_accesses(i32 1)
; CHECK-NEXT: call void @__gasan_count_checks(i32 1)
; CHECK: call void @__gasan_report_bounds
; CHECK: store i32 1
; CHECK-NOT: __gasan_count_checks
; CHECK: call void @__gasan_count_accesses(i32 1)
; CHECK-NEXT: store i32 2
define void @pair(ptr %p, i64 %i) sanitize_address {
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %b = getelementptr i8, ptr %a, i64 4
  store i32 2, ptr %b, align 1
  ret void
}

; A lane that is masked off accesses nothing.
; CHECK-LABEL: define void @masked(
; CHECK: %[[LANE:.*]] = extractelement <2 x i1> %mask, i64 1
; CHECK: %[[FROZEN:.*]] = freeze i1
; CHECK: zext i1
; CHECK: call void @__gasan_count_accesses(i32 %
define void @masked(ptr %p, <2 x i32> %v, <2 x i1> %mask) sanitize_address {
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %v, ptr %p, i32 4, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define void @unchecked(
; CHECK-NOT: __gasan_count
; CHECK: ret void
define void @unchecked(ptr %p) {
  store i32 1, ptr %p
  ret void
}
