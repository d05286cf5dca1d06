; The place of an element in each of the windows that have it: x - w * stride, from the first window to the last.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smin.i32(i32, i32)

; The first access is in the window, behind `base` elements. The second one is of the next window, which may not have
; x. The third one is the place of another number.
; CHECK-LABEL: kernel windows: 3 claims
; CHECK-NEXT: proven at launch if a + (s64(small(
; CHECK-SAME: where <= either((((u64({{.*}}) %u u64(stride)) + u64(size)) - (1 * u64(stride))),
; CHECK-SAME: {{^}} (u64((threadIdx.x where < size)) - (u64(0) * u64(stride))))
; CHECK-SAME: where >= ((u64({{.*}}) %u u64(stride)) - (0 * u64(stride))))
; CHECK-NEXT: proven at launch if b +
; CHECK-NOT: small(
; CHECK: proven at launch if c +
; CHECK-NOT: small(
define ptx_kernel void @windows(ptr %a, ptr %b, ptr %c, i32 %size, i32 %stride, i32 %count, i32 %base) sanitize_address {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %outside = icmp slt i32 %x, %size
  br i1 %outside, label %head, label %behind
behind:
  %left = sub nsw i32 %x, %size
  %before = sdiv i32 %left, %stride
  %after = add nsw i32 %before, 1
  br label %head
head:
  %first = phi i32 [ %after, %behind ], [ 0, %0 ]
  %last = sdiv i32 %x, %stride
  %past = add nsw i32 %last, 1
  %end = call i32 @llvm.smin.i32(i32 %past, i32 %count)
  %any = icmp slt i32 %first, %end
  br i1 %any, label %enter, label %done
enter:
  %sum = add i32 %base, %x
  %y = add i32 %x, 1
  br label %loop
loop:
  %w = phi i32 [ %first, %enter ], [ %next, %loop ]
  %moved = mul i32 %stride, %w
  %place = sub i32 %sum, %moved
  %place.w = sext i32 %place to i64
  %p = getelementptr i32, ptr %a, i64 %place.w
  store i32 1, ptr %p, align 4
  %next = add nsw i32 %w, 1
  %moved.next = mul i32 %stride, %next
  %place.next = sub i32 %sum, %moved.next
  %place.next.w = sext i32 %place.next to i64
  %q = getelementptr i32, ptr %b, i64 %place.next.w
  store i32 1, ptr %q, align 4
  %other = mul i32 %size, %w
  %place.other = sub i32 %y, %other
  %place.other.w = sext i32 %place.other to i64
  %r = getelementptr i32, ptr %c, i64 %place.other.w
  store i32 1, ptr %r, align 4
  %ends = icmp eq i32 %next, %end
  br i1 %ends, label %done, label %loop
done:
  ret void
}
