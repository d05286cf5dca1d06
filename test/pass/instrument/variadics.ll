; Variadic functions get a buffer of the caller before anything is checked; padding after a structure's last member
; belongs to the structure.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-mark,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-mark,gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=BST
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-mark,gasan-mark,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define i32 @first(i32 %count, ptr %varargs)
; CHECK: store ptr %varargs, ptr %list
; CHECK-NOT: @llvm.va_
; CHECK: ret i32
; BST: define internal i32 @first.bounds(i32 %count, ptr %varargs, i64 %{{[0-9]+}}, i64 %[[SIZE:[0-9]+]],
; BST-SAME: {{^}} i32 %{{[0-9]+}})
; BST: call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 3)
; BST: call void @__gasan_report_bounds_aligned(
define i32 @first(i32 %count, ...) sanitize_address {
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %at = load ptr, ptr %list, align 8
  %next = getelementptr inbounds i8, ptr %at, i64 4
  store ptr %next, ptr %list, align 8
  %value = load i32, ptr %at, align 4
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %value
}

; 17 bytes, and the bytes that a double leaves after them.
; CHECK-LABEL: define ptx_kernel void @call(
; CHECK: %[[BUFFER:.*]] = alloca [24 x i8], align 8, !gasan.variable ![[NAME:[0-9]+]]
; CHECK: call i32 @first(i32 3, ptr %[[BUFFER]])
; CHECK: ![[NAME]] = !{!"<variadic arguments>", !"call", !"", i32 0, i32 0}
; BST-LABEL: define ptx_kernel void @call(
; BST: call i32 @first.bounds(i32 3, ptr %vararg_buffer, i64 %{{[0-9]+}}, i64 24, i32 {{[0-9]+}})
define ptx_kernel void @call(ptr %out) sanitize_address {
  %value = call i32 (i32, ...) @first(i32 3, i32 1, double 2.0, i8 3)
  store i32 %value, ptr %out, align 4
  ret void
}

declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
