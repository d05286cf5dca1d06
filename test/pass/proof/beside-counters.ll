; An index that moves by a number of the launch, beside a counter whose tests bound it.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel ahead: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if b + s64((small(
; CHECK-SAME: where == (low32((s64(({{.*}} where < {{.*}}(depth + -64)){{.*}}) / 32)) * (width << 5))
define ptx_kernel void @ahead(ptr %b, i32 %depth, i32 %width) sanitize_address {
entry:
  %step = shl i32 %width, 5
  %first = shl i32 %width, 6
  %end = add i32 %depth, -64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %index = phi i32 [ 0, %entry ], [ %index.next, %latch ]
  %in = icmp slt i32 %k, %end
  br i1 %in, label %then, label %latch
then:
  %at = add i32 %index, %first
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %k.next = add i32 %k, 32
  %index.next = add i32 %index, %step
  %more = icmp slt i32 %k.next, %depth
  br i1 %more, label %loop, label %done
done:
  ret void
}

; No test of the counter: the index has the values that follow from its steps.
; CHECK-LABEL: kernel untested: 1 claims, 0 checks in all variants
; CHECK-NOT: / 32
; CHECK-LABEL: kernel varying:
define ptx_kernel void @untested(ptr %b, i32 %depth, i32 %width) sanitize_address {
entry:
  %step = shl i32 %width, 5
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %index = phi i32 [ 0, %entry ], [ %index.next, %loop ]
  %w = sext i32 %index to i64
  %p = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %p, align 1
  %k.next = add i32 %k, 32
  %index.next = add i32 %index, %step
  %more = icmp slt i32 %k.next, %depth
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The step changes in the loop.
; CHECK-NOT: / 32
define ptx_kernel void @varying(ptr %b, i32 %depth, ptr %steps) sanitize_address {
entry:
  %end = add i32 %depth, -64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %latch ]
  %index = phi i32 [ 0, %entry ], [ %index.next, %latch ]
  %step = load volatile i32, ptr %steps, align 4
  %in = icmp slt i32 %k, %end
  br i1 %in, label %then, label %latch
then:
  %w = sext i32 %index to i64
  %p = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %k.next = add i32 %k, 32
  %index.next = add i32 %index, %step
  %more = icmp slt i32 %k.next, %depth
  br i1 %more, label %loop, label %done
done:
  ret void
}
