; The bounded variant: all checks, without lookups of arguments; a claimed check runs only if the mask has its claim's
; bit.
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -gasan-hidden-arguments=false -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -gasan-partial-proof=false -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=NONE
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=off \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=NONE
; NONE-NOT: __gasan_bounded_
; CHECK-NOT: @__gasan_failed_claims

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

; CHECK-LABEL: define ptx_kernel void @__gasan_bounded_some(
; CHECK-SAME: ptr %a, ptr %b, i32 %n, i64 %gasan.base{{[0-9]*}}, i64 %gasan.size{{[0-9]*}}, i64 %{{[0-9]*}},
; CHECK-SAME: {{^}} i64 %gasan.limit{{[0-9]*}}, i64 %gasan.base{{[0-9]*}}, i64 %gasan.size{{[0-9]*}}, i64 %{{[0-9]*}},
; CHECK-SAME: {{^}} i64 %gasan.limit{{[0-9]*}}, i64 %gasan.failed)
; CHECK-NOT: @__gasan_bounds
; CHECK: and i64 %gasan.failed, 1
; CHECK: br i1 {{.*}}, !prof
; CHECK: call void @__gasan_report_bounds
; No claim covers the second one.
; CHECK-NOT: and i64 %gasan.failed
; CHECK: call void @__gasan_report_bounds
; CHECK: and i64 %gasan.failed, 2
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define ptx_kernel void @some(ptr %a, ptr %b, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %x = load i32, ptr %p, align 4
  call void @llvm.nvvm.barrier0()
  %j = zext i32 %x to i64
  %q = getelementptr i32, ptr %b, i64 %j
  store i32 1, ptr %q, align 4
  call void @llvm.nvvm.barrier0()
  %k = zext i32 %n to i64
  %r = getelementptr i32, ptr %b, i64 %k
  store i32 1, ptr %r, align 4
  ret void
}

; Accesses of one claim are checked together.
; CHECK-LABEL: define ptx_kernel void @__gasan_bounded_together(
; CHECK: and i64 %gasan.failed, 1
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: %gasan.failed
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define ptx_kernel void @together(ptr %a) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  %next = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %next, align 4
  ret void
}

; No claim: the proven variant has all checks.
; CHECK-NOT: @__gasan_bounded_nothing
define ptx_kernel void @nothing(ptr %a) sanitize_address {
  %x = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %p = getelementptr i8, ptr %a, i64 %x
  store i8 1, ptr %p, align 1
  ret void
}
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
