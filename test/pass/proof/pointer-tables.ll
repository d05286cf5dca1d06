; The bounds of pointers in a structure passed by value are arguments of a variant, also if the kernel computes which one
; of the pointers it loads: as one array, which the kernel reads with the same number. Here, steps of 32 bytes reach three
; pointers.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%pieces = type { i64, [6 x { i32, ptr }], i32 }

; CHECK-LABEL: define ptx_kernel void @chosen(
; CHECK: call void @__gasan_check
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_chosen(
; CHECK-SAME: ptr readonly byval([3 x { i64, i64 }]) align 8 %gasan.table)
; CHECK: %data = load ptr,
; CHECK: %[[I:.*]] = mul i64 %i, 1
; CHECK: %[[NUMBER:.*]] = add i64 0, %[[I]]
; CHECK: %[[IS:.*]] = icmp ult i64 %[[NUMBER]], 3
; CHECK: %[[READ:.*]] = select i1 %[[IS]], i64 %[[NUMBER]], i64 0
; CHECK: getelementptr inbounds { i64, i64 }, ptr %gasan.table, i64 %[[READ]]
; CHECK: %[[SIZE:gasan.size.*]] = load i64, {{.*}}, align 8
; CHECK: %[[SOME:.*]] = icmp ne i64 %[[SIZE]], 0
; CHECK: %[[KNOWN:.*]] = and i1 %[[IS]], %[[SOME]]
; CHECK: %[[UNKNOWN:.*]] = xor i1 %[[KNOWN]], true
; CHECK: br i1 %[[UNKNOWN]]
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: phi i64
; CHECK: call void @__gasan_report_bounds_aligned(
define ptx_kernel void @chosen(ptr byval(%pieces) align 8 %from, i64 %i) sanitize_address {
  %place = getelementptr inbounds { i32, ptr }, ptr %from, i64 %i, i32 0
  %place2 = getelementptr inbounds { i32, ptr }, ptr %place, i64 %i, i32 0
  %member = getelementptr i8, ptr %place2, i64 32
  %data = load ptr, ptr %member, align 8
  store i32 1, ptr %data, align 4
  ret void
}

; The kernel may have changed the pointers.
; CHECK-LABEL: define ptx_kernel void @written(
; CHECK-NOT: %gasan.table
define ptx_kernel void @written(ptr byval(%pieces) align 8 %from, i64 %i, ptr %other) sanitize_address {
  %first = getelementptr i8, ptr %from, i64 16
  %place = getelementptr inbounds { i32, ptr }, ptr %first, i64 %i
  store ptr %other, ptr %place, align 8
  %data = load ptr, ptr %place, align 8
  store i32 1, ptr %data, align 4
  ret void
}

; Steps of four bytes are no steps between pointers.
; CHECK-LABEL: define ptx_kernel void @narrow(
; CHECK-NOT: %gasan.table
define ptx_kernel void @narrow(ptr byval(%pieces) align 8 %from, i64 %i) sanitize_address {
  %place = getelementptr i32, ptr %from, i64 %i
  %data = load ptr, ptr %place, align 4
  store i32 1, ptr %data, align 4
  ret void
}
