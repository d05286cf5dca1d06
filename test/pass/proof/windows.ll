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

; As nvcc writes it: the divisor is at least 1, and a window behind the first one is first * stride + stride. A test of
; the distance's low bits shows that there is such a window; in front of this test, nothing does.
; CHECK-LABEL: kernel next_windows: 2 claims
; CHECK-NEXT: proven at launch if b + (s64(small(
; CHECK-NEXT: proven at launch if a + (s64(((threadIdx.x
define ptx_kernel void @next_windows(ptr %a, ptr %b, i32 %size, i32 %stride, i32 %count) sanitize_address {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = call i32 @llvm.umax.i32(i32 %stride, i32 1)
  %left = sub i32 %x, %size
  %before = sdiv i32 %left, %by
  %after = add i32 %before, 1
  %outside = icmp slt i32 %x, %size
  %first = select i1 %outside, i32 0, i32 %after
  %last = sdiv i32 %x, %by
  %past = add i32 %last, 1
  %end = call i32 @llvm.smin.i32(i32 %past, i32 %count)
  %any = icmp slt i32 %first, %end
  br i1 %any, label %enter, label %done
enter:
  %moved = mul i32 %first, %stride
  %next = add i32 %moved, %stride
  %place = sub i32 %x, %next
  %place.w = sext i32 %place to i64
  %distance = sub i32 %end, %first
  %rest = and i32 %distance, 3
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %other, label %some
some:
  %one = icmp eq i32 %rest, 1
  br i1 %one, label %done, label %more
more:
  %q = getelementptr i32, ptr %b, i64 %place.w
  store i32 1, ptr %q, align 4
  br label %done
other:
  %p = getelementptr i32, ptr %a, i64 %place.w
  store i32 1, ptr %p, align 4
  br label %done
done:
  ret void
}

; An index that nvcc has reduced to sums beside the window's number, in a loop that it has unrolled. The index is
; written again, with the number in it.
; CHECK-LABEL: kernel reduced: 2 claims
; CHECK-NEXT: proven at launch if a + small(
; CHECK-NEXT: proven at launch if a + small(
define ptx_kernel void @reduced(ptr %a, i32 %size, i32 %stride, i32 %count, i32 %rows) sanitize_address "gasan-lifted" {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %by = call i32 @llvm.umax.i32(i32 %stride, i32 1)
  %left = sub i32 %x, %size
  %before = sdiv i32 %left, %by
  %after = add i32 %before, 1
  %outside = icmp slt i32 %x, %size
  %first = select i1 %outside, i32 0, i32 %after
  %last = sdiv i32 %x, %by
  %past = add i32 %last, 1
  %end = call i32 @llvm.smin.i32(i32 %past, i32 %count)
  %any = icmp slt i32 %first, %end
  br i1 %any, label %enter, label %done
enter:
  %distance = sub i32 %end, %first
  %rest = and i32 %distance, 3
  %none = icmp eq i32 %rest, 0
  %is.far = sub i32 %first, %end
  %too.near = icmp ugt i32 %is.far, -4
  %few = or i1 %too.near, false
  br i1 %few, label %done, label %rounds
rounds:
  br i1 %none, label %begin, label %done
begin:
  %product = mul i32 %stride, %rows
  %negative = sub i32 0, %product
  %wide = sext i32 %negative to i64
  %bytes = shl i64 %wide, 2
  %ahead = add i64 %bytes, 4
  %moved = mul i32 %first, %stride
  %place = sub i32 %x, %moved
  %row = mul i32 %place, %rows
  %start = add i32 %row, %first
  %four = shl i32 %product, 2
  br label %loop
loop:
  %w = phi i32 [ %first, %begin ], [ %w.next, %loop ]
  %index = phi i32 [ %start, %begin ], [ %index.next, %loop ]
  %index.w = sext i32 %index to i64
  %offset = shl i64 %index.w, 2
  %p = getelementptr i8, ptr %a, i64 %offset
  store i32 1, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 %ahead
  store i32 1, ptr %q, align 4
  %index.less = sub i32 %index, %four
  %index.next = add i32 %index.less, 4
  %w.next = add i32 %w, 4
  %on = icmp slt i32 %w.next, %end
  br i1 %on, label %loop, label %done
done:
  ret void
}
