; -gasan-trace: a call for each lookup, each access and each block's instructions; no savings; without the option no
; calls.
; RUN: %opt_gasan -gasan-mode=bst -gasan-trace -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=NONE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; NONE-NOT: __gasan_trace
; Two accesses that would be checked together have a check each. The block has four instructions and its end.
; CHECK-LABEL: define void @pair(
; CHECK: call void @__gasan_trace_lookup(i64 %{{.*}}, i32 0)
; CHECK: call {{.*}} @__gasan_bounds
; CHECK: call void @__gasan_trace_access(i64 %{{.*}}, i32 4, i32 0, i32 3)
; CHECK: call void @__gasan_report_bounds
; CHECK: store i32 1
; CHECK: call void @__gasan_trace_access(i64 %{{.*}}, i32 4, i32 1, i32 2)
; CHECK: call void @__gasan_report_bounds
; CHECK: load volatile i32
; CHECK: call void @__gasan_trace_instructions(i32 5)
define void @pair(ptr %p, i64 %i) sanitize_address {
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %b = getelementptr i8, ptr %a, i64 4
  %v = load volatile i32, ptr %b, align 1
  ret void
}

; A lane that is masked off accesses nothing: its size is 0.
; CHECK-LABEL: define void @masked(
; CHECK: extractelement <2 x i1> %mask, i64 0
; CHECK: %[[FROZEN:.*]] = freeze i1
; CHECK-NEXT: %[[SIZE:.*]] = select i1 %[[FROZEN]], i32 4, i32 0
; CHECK: call void @__gasan_trace_access(i64 %{{.*}}, i32 %[[SIZE]], i32 {{.*}}, i32 3)
define void @masked(ptr %p, <2 x i32> %v, <2 x i1> %mask) sanitize_address {
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %v, ptr %p, i32 4, <2 x i1> %mask)
  ret void
}

; CHECK-LABEL: define void @unchecked(
; CHECK-NOT: __gasan_trace
; CHECK: ret void
define void @unchecked(ptr %p) {
  store i32 1, ptr %p
  ret void
}
