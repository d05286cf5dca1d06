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

; Indices of 32 bits in one small variable differ by a constant, without a promise that they do not wrap.
@tile = internal addrspace(3) global [1024 x i32] undef, align 4
@other = internal addrspace(3) global [1024 x i32] undef, align 4

; CHECK-LABEL: define void @signed_indices(
; CHECK: icmp uge i32 %{{.*}}, 1020
; CHECK: call void @__gasan_report_bounds
; CHECK: store i32 1
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
; SINGLE-LABEL: define void @signed_indices(
; SINGLE-COUNT-3: call void @__gasan_report_bounds
define void @signed_indices(i32 %i) sanitize_address {
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %next = add i32 %i, 1
  %wide_next = sext i32 %next to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_next
  store i32 2, ptr addrspace(3) %q, align 4
  %before = sub i32 %i, 3
  %wide_before = sext i32 %before to i64
  %r = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_before
  store i32 3, ptr addrspace(3) %r, align 4
  ret void
}

; CHECK-LABEL: define void @unsigned_indices(
; CHECK-COUNT-1: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define void @unsigned_indices(i32 %i) sanitize_address {
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %next = add i32 %i, 1
  %wide_next = zext i32 %next to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_next
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}

; i - 1 wraps for i = 0, and its access would be 2^32 elements away.
; CHECK-LABEL: define void @unsigned_below(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @unsigned_below(i32 %i) sanitize_address {
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %before = sub i32 %i, 1
  %wide_before = zext i32 %before to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_before
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}

; The same, although the constant makes the sum positive.
; CHECK-LABEL: define void @unsigned_behind_start(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @unsigned_behind_start(i32 %i) sanitize_address {
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8), i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %next = add i32 %i, 1
  %wide_next = zext i32 %next to i64
  %q = getelementptr i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @tile, i64 8), i64 %wide_next
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}

; Other variables; two indices; memory of unknown size, where a sum may wrap; indices of 16 bits.
; CHECK-LABEL: define void @two_variables(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @two_variables(i32 %i) sanitize_address {
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %next = add i32 %i, 1
  %wide_next = sext i32 %next to i64
  %q = getelementptr i32, ptr addrspace(3) @other, i64 %wide_next
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}

; CHECK-LABEL: define void @more_indices(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @more_indices(i32 %i, i32 %j) sanitize_address {
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  %next = add i32 %i, 1
  %wide_next = sext i32 %next to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_next
  %wide_j = sext i32 %j to i64
  %r = getelementptr i32, ptr addrspace(3) %p, i64 %wide_j
  store i32 3, ptr addrspace(3) %r, align 4
  %s = getelementptr i32, ptr addrspace(3) %q, i64 %wide_j
  store i32 4, ptr addrspace(3) %s, align 4
  ret void
}

; CHECK-LABEL: define void @unknown_size(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @unknown_size(i32 %i, ptr %a) sanitize_address {
  %wide = sext i32 %i to i64
  %t = getelementptr i8, ptr %a, i64 %wide
  store i8 5, ptr %t, align 1
  %next = add i32 %i, 1
  %wide_next = sext i32 %next to i64
  %u = getelementptr i8, ptr %a, i64 %wide_next
  store i8 6, ptr %u, align 1
  ret void
}

; CHECK-LABEL: define void @short_indices(
; CHECK-COUNT-2: call void @__gasan_report_bounds
; CHECK: ret void
define void @short_indices(i16 %k) sanitize_address {
  %wide = sext i16 %k to i64
  %p = getelementptr i32, ptr addrspace(3) @tile, i64 %wide
  store i32 1, ptr addrspace(3) %p, align 4
  %next = add i16 %k, 1
  %wide_next = sext i16 %next to i64
  %q = getelementptr i32, ptr addrspace(3) @tile, i64 %wide_next
  store i32 2, ptr addrspace(3) %q, align 4
  ret void
}
