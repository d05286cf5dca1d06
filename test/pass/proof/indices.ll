; Variants get the number of elements of their arguments: checks of elements compare the index.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-index-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=OFF
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-hidden-arguments=false -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: gasan.elements
; CHECK-NOT: @__gasan_hidden_elements

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; An unsigned index; the report has the address.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_unsigned_index(
; CHECK-SAME: i64 %gasan.before, i64 %gasan.elements
; CHECK: %[[COUNT:.*]] = trunc i64 %gasan.elements to i32
; CHECK-NEXT: %[[BAD:.*]] = icmp uge i32 %x, %[[COUNT]]
; CHECK-NEXT: br i1 %[[BAD]]
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %q to i64
; CHECK: call void @__gasan_report_bounds_aligned(i64 %[[ADDRESS]], i64 4,
; CHECK: ret void
define ptx_kernel void @unsigned_index(ptr %a, ptr %index) sanitize_address {
  %x = load i32, ptr %index, align 4
  %i = zext i32 %x to i64
  %q = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %q, align 4
  ret void
}

; A signed one, and a constant: elements before the argument belong to the object, too.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_signed_index(
; CHECK: %[[BACK:.*]] = sub i32 %x, 2
; CHECK: %[[BEFORE:.*]] = trunc i64 %gasan.before to i32
; CHECK: %[[NUMBER:.*]] = add i32 %[[BACK]], %[[BEFORE]]
; CHECK: icmp uge i32 %[[NUMBER]],
; CHECK: ret void
define ptx_kernel void @signed_index(ptr %a, ptr %index) sanitize_address {
  %x = load i32, ptr %index, align 4
  %i = sext i32 %x to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i8, ptr %p, i64 -8
  store i32 1, ptr %q, align 4
  ret void
}

; An index of 64 bits whose address may wrap; elements of 12 bytes; two indices; an unsigned one with a constant below
; 0.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_others(
; CHECK-NOT: gasan.elements
; CHECK: ret void
define ptx_kernel void @others(ptr %a, ptr %index) sanitize_address {
  %x = load i64, ptr %index, align 8
  %p = getelementptr i32, ptr %a, i64 %x
  store i32 1, ptr %p, align 4
  %q = getelementptr inbounds [3 x i32], ptr %a, i64 %x
  store i32 1, ptr %q, align 4
  %t = trunc i64 %x to i32
  %u = zext i32 %t to i64
  %r = getelementptr inbounds i32, ptr %p, i64 %u
  store i32 1, ptr %r, align 4
  %s = getelementptr inbounds i32, ptr %a, i64 %u
  %v = getelementptr inbounds i8, ptr %s, i64 -4
  store i32 1, ptr %v, align 4
  ret void
}

; An index of 64 bits whose address cannot wrap.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_wide(
; CHECK: %[[NUMBER:.*]] = add i64 %x, %gasan.before
; CHECK-NEXT: icmp uge i64 %[[NUMBER]], %gasan.elements
; CHECK: ret void
define ptx_kernel void @wide(ptr %a, ptr %index) sanitize_address {
  %x = load i64, ptr %index, align 8
  %p = getelementptr inbounds i32, ptr %a, i64 %x
  store i32 1, ptr %p, align 4
  ret void
}

; nvcc's code multiplies the index itself.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_shifted(
; CHECK: %[[COUNT:.*]] = trunc i64 %gasan.elements{{.*}} to i32
; CHECK: icmp uge i32 %x, %[[COUNT]]
; CHECK: %[[BEFORE:.*]] = trunc i64 %{{.*}} to i32
; CHECK: %[[NUMBER:.*]] = add i32 %y, %[[BEFORE]]
; CHECK: icmp uge i32 %[[NUMBER]],
; CHECK: ret void
define ptx_kernel void @shifted(ptr %a, ptr %index) sanitize_address {
  %x = load i32, ptr %index, align 4
  %i = zext i32 %x to i64
  %offset = shl nuw nsw i64 %i, 2
  %global = addrspacecast ptr %a to ptr addrspace(1)
  %q = getelementptr i8, ptr addrspace(1) %global, i64 %offset
  %y = load i32, ptr addrspace(1) %q, align 4
  %j = sext i32 %y to i64
  %far = mul nsw i64 %j, 16
  %r = getelementptr i8, ptr addrspace(1) %global, i64 %far
  store i32 1, ptr addrspace(1) %r, align 4
  ret void
}

; The factor of an index with more bits stays: the product may wrap.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_shifted_wide(
; CHECK-NOT: gasan.elements
; CHECK: ret void
define ptx_kernel void @shifted_wide(ptr %a, ptr %index) sanitize_address {
  %x = load i64, ptr %index, align 8
  %offset = shl nuw nsw i64 %x, 2
  %q = getelementptr i8, ptr %a, i64 %offset
  store i32 1, ptr %q, align 4
  ret void
}
