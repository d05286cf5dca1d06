; Unreachable code is removed first. An address there may be computed from itself only, and the search for its object
; would not end.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=128 -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-tags=on -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @f(ptr)

; CHECK-LABEL: define ptx_kernel void @k(
; CHECK-NOT: loop:
; CHECK: ret void
define ptx_kernel void @k(ptr %a, i1 %on) sanitize_address {
  store i32 0, ptr %a, align 4
  ret void
loop:
  %p = phi ptr [ %q, %loop ]
  %q = getelementptr i32, ptr %p, i64 1
  %x = load i32, ptr %p, align 4
  call void @f(ptr %p)
  br i1 %on, label %loop, label %end
end:
  ret void
}
