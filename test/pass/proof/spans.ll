; Loops from one number up to a greater one that test for equality only, whole and unrolled; and loops for which nothing
; is known.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; CHECK-LABEL: kernel whole: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (u64(({{.*}}where >=u {{.*}}threadIdx.x * share{{.*}} where <=u ({{.*}} - 1)
define ptx_kernel void @whole(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add nuw i32 %i, 1
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; The test is on an operand of the minimum that is the first number, and signed; the variable is wider than both.
; CHECK-LABEL: kernel widened: 1 claims, 0 checks in all variants
define ptx_kernel void @widened(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = mul i32 %t, %share
  %first = call i32 @llvm.smin.i32(i32 %from, i32 %n)
  %behind = add i32 %first, %share
  %end = call i32 @llvm.smin.i32(i32 %behind, i32 %n)
  %some = icmp slt i32 %from, %end
  br i1 %some, label %ready, label %done
ready:
  %first.wide = sext i32 %first to i64
  %end.wide = sext i32 %end to i64
  br label %loop
loop:
  %i = phi i64 [ %first.wide, %ready ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  %next = add nsw i64 %i, 1
  %last = icmp eq i64 %next, %end.wide
  br i1 %last, label %done, label %loop
done:
  ret void
}

; Without a test, or with one that allows equal numbers, the loop may take every value: nothing narrows the variable by
; its end. (A launch in which only one thread passes the test may still prove it.)
; CHECK-LABEL: kernel untested: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (u64(loop(((threadIdx.x * share) where <=u {{[^=]*}}rounds({{.*}} while !=
; CHECK-NOT: where >=u ((threadIdx.x * share)
define ptx_kernel void @untested(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ule i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add nuw i32 %i, 1
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; The rest comes first, then rounds of four.
; CHECK-LABEL: kernel rest_first: 3 claims, 0 checks in all variants
define ptx_kernel void @rest_first(ptr %a, ptr %b, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %begin, label %done
begin:
  %distance = sub i32 %end, %first
  %low = and i32 %distance, 3
  %no.rest = icmp eq i32 %low, 0
  br i1 %no.rest, label %middle, label %rest
rest:
  %r = phi i32 [ %first, %begin ], [ %r.next, %rest ]
  %count = phi i32 [ 0, %begin ], [ %count.next, %rest ]
  %r.w = zext i32 %r to i64
  %r.p = getelementptr i32, ptr %a, i64 %r.w
  store i32 1, ptr %r.p, align 4
  %r.next = add nuw i32 %r, 1
  %count.next = add i32 %count, 1
  %r.last = icmp eq i32 %count.next, %low
  br i1 %r.last, label %middle, label %rest
middle:
  %from = phi i32 [ %first, %begin ], [ %r.next, %rest ]
  %minus = sub i32 %first, %end
  %few = icmp ugt i32 %minus, -4
  br i1 %few, label %done, label %loop
loop:
  %i = phi i32 [ %from, %middle ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %i3 = add nuw i32 %i, 3
  %w3 = zext i32 %i3 to i64
  %p3 = getelementptr i32, ptr %b, i64 %w3
  store i32 1, ptr %p3, align 4
  %next = add nuw i32 %i, 4
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; The same, but no test shows that four rounds, or a rest, are left. A launch may show both, if the lowest two bits of
; all distances are known.
; CHECK-LABEL: kernel rest_unknown: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a +
; CHECK-NEXT: proven at launch if b +
define ptx_kernel void @rest_unknown(ptr %a, ptr %b, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %begin, label %done
begin:
  %distance = sub i32 %end, %first
  %low = and i32 %distance, 3
  br label %rest
rest:
  %r = phi i32 [ %first, %begin ], [ %r.next, %rest ]
  %count = phi i32 [ 0, %begin ], [ %count.next, %rest ]
  %r.w = zext i32 %r to i64
  %r.p = getelementptr i32, ptr %a, i64 %r.w
  store i32 1, ptr %r.p, align 4
  %r.next = add nuw i32 %r, 1
  %count.next = add i32 %count, 1
  %r.last = icmp eq i32 %count.next, %low
  br i1 %r.last, label %middle, label %rest
middle:
  br label %loop
loop:
  %i = phi i32 [ %r.next, %middle ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %b, i64 %w
  store i32 1, ptr %p, align 4
  %next = add nuw i32 %i, 4
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; Rounds of eight come first, counted; then the rest, if there is one.
; CHECK-LABEL: kernel rest_last: 2 claims, 0 checks in all variants
define ptx_kernel void @rest_last(ptr %a, ptr %b, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %begin, label %done
begin:
  %distance = sub nuw i32 %end, %first
  %low = and i32 %distance, 7
  %minus = sub i32 %first, %end
  %few = icmp ugt i32 %minus, -8
  br i1 %few, label %ready, label %many
many:
  %high = and i32 %distance, -8
  br label %loop
loop:
  %i = phi i32 [ %first, %many ], [ %next, %loop ]
  %count = phi i32 [ 0, %many ], [ %count.next, %loop ]
  %i7 = add nuw i32 %i, 7
  %w = zext i32 %i7 to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add nuw i32 %i, 8
  %count.next = add i32 %count, 8
  %last = icmp eq i32 %count.next, %high
  br i1 %last, label %behind.loop, label %loop
behind.loop:
  %no.rest = icmp eq i32 %low, 0
  br i1 %no.rest, label %done, label %ready
ready:
  %from = phi i32 [ %first, %begin ], [ %next, %behind.loop ]
  br label %rest
rest:
  %r = phi i32 [ %from, %ready ], [ %r.next, %rest ]
  %r.count = phi i32 [ 0, %ready ], [ %r.count.next, %rest ]
  %r.w = zext i32 %r to i64
  %r.p = getelementptr i32, ptr %b, i64 %r.w
  store i32 1, ptr %r.p, align 4
  %r.next = add nuw i32 %r, 1
  %r.count.next = add i32 %r.count, 1
  %r.last = icmp eq i32 %r.count.next, %low
  br i1 %r.last, label %done, label %rest
done:
  ret void
}

; Another end makes a claim of its own. Other steps than the counted ones, and a counter that does not begin with 0, are
; not in the span. A launch may show how many rounds the second loop has, if the lowest three bits of all distances are
; known.
; CHECK-LABEL: kernel others: 2 claims, 1 checks in all variants
; CHECK-NEXT: proven at launch if a +
; CHECK-NEXT: proven at launch if b +
; CHECK-NEXT: checked: in ordinary launches nothing shows that c +
define ptx_kernel void @others(ptr %a, ptr %b, ptr %c, i32 %n, i32 %share, i32 %other) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, 1
  %last = icmp eq i32 %next, %other
  br i1 %last, label %second, label %loop
second:
  %distance = sub i32 %end, %first
  %high = and i32 %distance, -8
  %low = and i32 %distance, 7
  %minus = sub i32 %first, %end
  %few = icmp ugt i32 %minus, -8
  br i1 %few, label %done, label %loop2
loop2:
  %j = phi i32 [ %first, %second ], [ %j.next, %loop2 ]
  %count = phi i32 [ 0, %second ], [ %count.next, %loop2 ]
  %j.w = zext i32 %j to i64
  %j.p = getelementptr i32, ptr %b, i64 %j.w
  store i32 1, ptr %j.p, align 4
  %j.next = add i32 %j, 16
  %count.next = add i32 %count, 8
  %j.last = icmp eq i32 %count.next, %high
  br i1 %j.last, label %loop3, label %loop2
loop3:
  %k = phi i32 [ %first, %loop2 ], [ %k.next, %loop3 ]
  %k.count = phi i32 [ 4, %loop2 ], [ %k.count.next, %loop3 ]
  %k.w = zext i32 %k to i64
  %k.p = getelementptr i32, ptr %c, i64 %k.w
  store i32 1, ptr %k.p, align 4
  %k.next = add i32 %k, 8
  %k.count.next = add i32 %k.count, 8
  %k.last = icmp eq i32 %k.count.next, %high
  br i1 %k.last, label %done, label %loop3
done:
  ret void
}

; Unrolled by two: the single round is no loop. Without it, or without a test that pairs are left, nothing narrows the
; variable by its end.
; CHECK-LABEL: kernel by_two: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (u64({{.*}}where >=u {{.*}}threadIdx.x * share{{.*}} where <=u ({{.*}} - 2)
define ptx_kernel void @by_two(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %ready, label %done
ready:
  %distance = sub i32 %end, %first
  %second = add i32 %first, 1
  %odd = and i32 %distance, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %pairs, label %single
single:
  %one = add nuw i32 %first, 1
  br label %pairs
pairs:
  %begin = phi i32 [ %first, %ready ], [ %one, %single ]
  %no.pair = icmp eq i32 %end, %second
  br i1 %no.pair, label %done, label %loop
loop:
  %i = phi i32 [ %begin, %pairs ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i64 1, ptr %p, align 4
  %next = add nuw i32 %i, 2
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: kernel odd_of_another: 1 claims
; CHECK-NOT: where <=u ({{.*}} - 2)
define ptx_kernel void @odd_of_another(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %ready, label %done
ready:
  %distance = sub i32 %end, %first
  %second = add i32 %first, 1
  %odd = and i32 %n, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %pairs, label %single
single:
  %one = add nuw i32 %first, 1
  br label %pairs
pairs:
  %begin = phi i32 [ %first, %ready ], [ %one, %single ]
  %no.pair = icmp eq i32 %end, %second
  br i1 %no.pair, label %done, label %loop
loop:
  %i = phi i32 [ %begin, %pairs ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i64 1, ptr %p, align 4
  %next = add nuw i32 %i, 2
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; CHECK-LABEL: kernel pairs_of_another: 1 claims
; CHECK-NOT: where <=u ({{.*}} - 2)
define ptx_kernel void @pairs_of_another(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %ready, label %done
ready:
  %distance = sub i32 %end, %first
  %second = add i32 %first, 1
  %odd = and i32 %distance, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %pairs, label %single
single:
  %one = add nuw i32 %first, 1
  br label %pairs
pairs:
  %begin = phi i32 [ %first, %ready ], [ %one, %single ]
  %no.pair = icmp eq i32 %n, %second
  br i1 %no.pair, label %done, label %loop
loop:
  %i = phi i32 [ %begin, %pairs ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i64 1, ptr %p, align 4
  %next = add nuw i32 %i, 2
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; The single round may also run if the distance is even: then the pairs step over the end.
; CHECK-LABEL: kernel single_of_even: 1 claims
; CHECK-NOT: where <=u ({{.*}} - 2)
define ptx_kernel void @single_of_even(ptr %a, i32 %n, i32 %share, i1 %always) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, %share
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %some = icmp ult i32 %first, %end
  br i1 %some, label %choose, label %done
choose:
  %distance = sub i32 %end, %first
  %second = add i32 %first, 1
  br i1 %always, label %single, label %ready
ready:
  %odd = and i32 %distance, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %pairs, label %done
single:
  %one = add nuw i32 %first, 1
  br label %pairs
pairs:
  %begin = phi i32 [ %first, %ready ], [ %one, %single ]
  %no.pair = icmp eq i32 %end, %second
  br i1 %no.pair, label %done, label %loop
loop:
  %i = phi i32 [ %begin, %pairs ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i64 1, ptr %p, align 4
  %next = add nuw i32 %i, 2
  %last = icmp eq i32 %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}
