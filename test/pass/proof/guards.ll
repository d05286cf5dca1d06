; Facts that guards, selections and masks give on an index, and the limits of these facts.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare void @llvm.assume(i1)

; CHECK-LABEL: kernel guarded: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (s64((threadIdx.x where < n)) * 4), 4 bytes, is in bounds
define ptx_kernel void @guarded(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %done
then:
  %i = sext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  br label %done
done:
  ret void
}

; The test is on the index before it is widened, or moved by a constant, or is one of two that hold.
; CHECK-LABEL: kernel moved: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((((threadIdx.x + -1) where <u n) - -1)), 1 bytes, is in bounds
define ptx_kernel void @moved(ptr %a, i32 %n, i32 %m) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %less = add i32 %t, -1
  %low = icmp ult i32 %less, %n
  %other = icmp eq i32 %m, 7
  %both = and i1 %low, %other
  br i1 %both, label %then, label %done
then:
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A test of the greater of two, and of all bits of two, holds for both.
; CHECK-LABEL: kernel greatest: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((threadIdx.y where < n)), 1 bytes, is in bounds
define ptx_kernel void @greatest(ptr %a, i32 %x, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %max = call i32 @llvm.smax.i32(i32 %t, i32 %u)
  %in = icmp slt i32 %max, %n
  br i1 %in, label %then, label %done
then:
  %i = sext i32 %u to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A test that a value is not the last one removes that value once the last one is known, in either order of the tests.
; CHECK-LABEL: kernel inside: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((((threadIdx.x where < n) where != 0) where != (n + -1))),
; CHECK-SAME: {{^}} 1 bytes, is in bounds
define ptx_kernel void @inside(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %done
then:
  %last = add i32 %n, -1
  %is.first = icmp eq i32 %t, 0
  %is.last = icmp eq i32 %t, %last
  %border = or i1 %is.first, %is.last
  br i1 %border, label %done, label %inner
inner:
  %i = sext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A phi's value does not count on a path that no thread of the launch takes; if data decides, it counts.
; CHECK-LABEL: kernel ways: 2 claims, 0 checks in all variants
; CHECK: proven at launch if a + s64(either((threadIdx.x if there is (n where < 0)), (n if there is (n where >= 0)))),
; CHECK-SAME: {{^}} 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + s64(either(n, threadIdx.x)), 1 bytes, is in bounds
define ptx_kernel void @ways(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %negative = icmp slt i32 %n, 0
  br i1 %negative, label %less, label %more
less:
  br label %both
more:
  br label %both
both:
  %x = phi i32 [ %t, %less ], [ %n, %more ]
  %i = sext i32 %x to i64
  %p = getelementptr i8, ptr %a, i64 %i
  %data = load i8, ptr %p, align 1
  %zero = icmp eq i8 %data, 0
  br i1 %zero, label %one, label %other
one:
  br label %end
other:
  br label %end
end:
  %y = phi i32 [ %n, %one ], [ %t, %other ]
  %j = sext i32 %y to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 1, ptr %q, align 1
  ret void
}

; Code generated for a sum with a promise not to overflow may test more bits of it: then the greatest value passes, too.
; In the other direction, and without a promise, such values fail or wrap around.
; CHECK-LABEL: kernel escapes: 3 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + s64((either((((<load> + 1) where > 0) - 1),
; CHECK-SAME: {{^}} ((<load> where > 2147483646) if there is 0)) where < n)), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + s64((((((((<load> + 5) where > 0) - 5) + 1) where <= 0) - 1) where < n)),
; CHECK-SAME: {{^}} 1 bytes, is in bounds
define ptx_kernel void @escapes(ptr %a, ptr %b, i32 %n) sanitize_address {
  %x = load i32, ptr %b, align 4
  %less = icmp slt i32 %x, %n
  br i1 %less, label %then, label %done
then:
  %sum = add nsw i32 %x, 1
  %positive = icmp sgt i32 %sum, 0
  br i1 %positive, label %first, label %other
first:
  %i = sext i32 %x to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
other:
  %wraps = add i32 %x, 5
  %positive2 = icmp sgt i32 %wraps, 0
  br i1 %positive2, label %second, label %done
second:
  %j = sext i32 %x to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 2, ptr %q, align 1
  br label %done
done:
  ret void
}

; No bit is in both: then `or` is a sum. If that is only promised, it is not used.
; CHECK-LABEL: kernel bits: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(((threadIdx.x << 2) + 3)), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x | 3)), 1 bytes, is in bounds
define ptx_kernel void @bits(ptr %a) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %four = shl i32 %t, 2
  %last = or disjoint i32 %four, 3
  %i = zext i32 %last to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  %some = or disjoint i32 %t, 3
  %j = zext i32 %some to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 2, ptr %q, align 1
  ret void
}

; Data is bounded by a mask, a remainder, a minimum with a maximum, and a test of both sides.
; CHECK-LABEL: kernel data: 5 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (u64((<load> & 255)) * 4), 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (u64((<load> %u n)) * 4), 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (s64(min(max(<load>, 0), n)) * 4), 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (u64((<load> where <u n)) * 4), 4 bytes, is in bounds
define ptx_kernel void @data(ptr %a, ptr %b, i32 %n) sanitize_address {
  %x = load i32, ptr %b, align 4
  %masked = and i32 %x, 255
  %i = zext i32 %masked to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  %rest = urem i32 %x, %n
  %j = zext i32 %rest to i64
  %q = getelementptr i32, ptr %a, i64 %j
  store i32 2, ptr %q, align 4
  %least = call i32 @llvm.smax.i32(i32 %x, i32 0)
  %most = call i32 @llvm.smin.i32(i32 %least, i32 %n)
  %k = sext i32 %most to i64
  %r = getelementptr i32, ptr %a, i64 %k
  store i32 3, ptr %r, align 4
  %in = icmp ult i32 %x, %n
  br i1 %in, label %then, label %done
then:
  %l = zext i32 %x to i64
  %s = getelementptr i32, ptr %a, i64 %l
  store i32 4, ptr %s, align 4
  br label %done
done:
  ret void
}

; Data that is tested on one side, or by a signed test and used unsigned.
; CHECK-LABEL: kernel one_side: 1 claims, 2 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: checked: nothing bounds a + (s64((<load> where < n)) * 4), 4 bytes,
; CHECK-NEXT: checked: nothing bounds a + (u64((<load> where < n)) * 4), 4 bytes,
define ptx_kernel void @one_side(ptr %a, ptr %b, i32 %n) sanitize_address {
  %x = load i32, ptr %b, align 4
  %in = icmp slt i32 %x, %n
  br i1 %in, label %then, label %done
then:
  %l = sext i32 %x to i64
  %s = getelementptr i32, ptr %a, i64 %l
  store i32 4, ptr %s, align 4
  %z = zext i32 %x to i64
  %t = getelementptr i32, ptr %a, i64 %z
  store i32 4, ptr %t, align 4
  br label %done
done:
  ret void
}

; The guard ends when the paths meet again; the other path has the opposite fact.
; CHECK-LABEL: kernel not_dominating: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((threadIdx.x where >= n)), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + s64(threadIdx.x), 1 bytes, is in bounds
define ptx_kernel void @not_dominating(ptr %a, ptr %b, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  %in = icmp slt i32 %t, %n
  br i1 %in, label %then, label %else
then:
  br label %done
else:
  store i8 1, ptr %p, align 1
  br label %done
done:
  store i8 2, ptr %p, align 1
  ret void
}

; A promise of the program is evaluated: no test, no bound.
; CHECK-LABEL: kernel promised: 1 claims, 1 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: checked: nothing bounds a + (u64(<load>) * 4), 4 bytes,
define ptx_kernel void @promised(ptr %a, ptr %b, i32 %n) sanitize_address {
  %x = load i32, ptr %b, align 4
  %in = icmp ult i32 %x, %n
  call void @llvm.assume(i1 %in)
  %i = zext nneg i32 %x to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  ret void
}

; A sum may overflow its bits before the index is widened.
; CHECK-LABEL: kernel wraps: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(exact((threadIdx.x + n))), 1 bytes, is in bounds
define ptx_kernel void @wraps(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = add nuw nsw i32 %t, %n
  %i = zext i32 %sum to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  ret void
}

; A selected value is under its condition; a merged one comes from either path.
; CHECK-LABEL: kernel chosen: 3 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (u64(either((<load> where <u n), 0)) * 4), 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + (u64(either(5, (<load> where <u n))) * 4), 4 bytes, is in bounds
define ptx_kernel void @chosen(ptr %a, ptr %b, i32 %n) sanitize_address {
  %x = load i32, ptr %b, align 4
  %in = icmp ult i32 %x, %n
  %s = select i1 %in, i32 %x, i32 0
  %i = zext i32 %s to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  br i1 %in, label %then, label %done
then:
  br label %done
done:
  %m = phi i32 [ 5, %0 ], [ %x, %then ]
  %j = zext i32 %m to i64
  %q = getelementptr i32, ptr %a, i64 %j
  store i32 2, ptr %q, align 4
  ret void
}

; Null is not accessed; the hidden argument has this fact.
; CHECK-LABEL: kernel optional: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(threadIdx.x), 1 bytes, is in bounds
define ptx_kernel void @optional(ptr %a) sanitize_address {
  %is = icmp ne ptr %a, null
  br i1 %is, label %then, label %done
then:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; The code generator may compute a sum with a promise not to overflow in 64 bits: a launch in which it overflows is
; never proven. Without a promise, the value is the wrapped one.
; CHECK-LABEL: kernel promises: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(exact((n * stride))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + s64((n * stride)), 1 bytes, is in bounds
define ptx_kernel void @promises(ptr %a, i32 %n, i32 %stride) sanitize_address {
  %product = mul nsw i32 %n, %stride
  %i = sext i32 %product to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  %wrapped = mul i32 %n, %stride
  %j = sext i32 %wrapped to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 1, ptr %q, align 1
  ret void
}

; If a test shows that a difference is not negative, it is at most its minuend; no promise on it is
; broken.
; CHECK-LABEL: kernel difference: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(exact((((threadIdx.x where >=u n) - n) where <=u (threadIdx.x where >=u n)))),
; CHECK-SAME: {{^}} 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b +
define ptx_kernel void @difference(ptr %a, ptr %b, i32 %n, i32 %m) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %u = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %in = icmp ult i32 %t, %n
  br i1 %in, label %next, label %then
then:
  %less = sub nuw nsw i32 %t, %n
  %i = zext i32 %less to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %next
next:
  %signed = icmp sge i32 %u, %m
  br i1 %signed, label %last, label %done
last:
  %k = sub nsw i32 %u, %m
  %j = sext i32 %k to i64
  %q = getelementptr i8, ptr %b, i64 %j
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; In the other direction, or on other values, the test proves nothing.
; CHECK-LABEL: kernel negative_difference: 0 claims, 2 checks in all variants
define ptx_kernel void @negative_difference(ptr %a, ptr %data) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr addrspace(4) null
  %in = icmp ult i32 %t, %n
  br i1 %in, label %then, label %done
then:
  %less = sub i32 %t, %n
  %i = zext i32 %less to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; n - i >= 4096: i is at most n - 4096.
; CHECK-LABEL: kernel subtrahend: 2 claims
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where == (n - ((n - threadIdx.x) where >=u 4096)))), 1 bytes,
; CHECK-NEXT: proven at launch if b + s64(((threadIdx.x * n) where == (n - ((n - (threadIdx.x * n)) where > 7))
define ptx_kernel void @subtrahend(ptr %a, ptr %b, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %left = sub i32 %n, %t
  %in = icmp uge i32 %left, 4096
  br i1 %in, label %then, label %other
then:
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %other
other:
  %far = mul i32 %t, %n
  %rest = sub i32 %n, %far
  %near = icmp sgt i32 %rest, 7
  br i1 %near, label %last, label %done
last:
  %j = sext i32 %far to i64
  %q = getelementptr i8, ptr %b, i64 %j
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; Members of a structure by value that the kernel does not write to are arguments, although it writes to others.
%share = type { i32, i32, i32, [4 x i32] }
; CHECK-LABEL: kernel members: 1 claims, 2 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where <u s@0)), 1 bytes,
; CHECK-NEXT: checked: nothing bounds a + u64({{.*}}<load>
; CHECK-NEXT: checked: nothing bounds a + u64({{.*}}<load>
define ptx_kernel void @members(ptr %a, ptr byval(%share) align 4 %s, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %second = getelementptr i8, ptr %s, i64 4
  store i32 %n, ptr %second, align 4
  %third = getelementptr %share, ptr %s, i64 0, i32 2
  %fourth = getelementptr %share, ptr %s, i64 0, i32 3, i64 0
  call void @llvm.memset.p0.i64(ptr %fourth, i8 0, i64 16, i1 false)
  %first.value = load i32, ptr %s, align 4
  %in = icmp ult i32 %t, %first.value
  br i1 %in, label %then, label %other
then:
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %other
other:
  %second.value = load i32, ptr %second, align 4
  %j = zext i32 %second.value to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 1, ptr %q, align 1
  %fourth.value = load i32, ptr %fourth, align 4
  %k = zext i32 %fourth.value to i64
  %r = getelementptr i8, ptr %a, i64 %k
  store i8 1, ptr %r, align 1
  ret void
}

; A write at an unknown place, or by a function, may be to any member.
; CHECK-LABEL: kernel written_anywhere: 1 claims, 1 checks in all variants
; CHECK-NEXT: proven at launch if variable of 28 bytes +
; CHECK-NEXT: checked: nothing bounds a + u64(<load>)
define ptx_kernel void @written_anywhere(ptr %a, ptr byval(%share) align 4 %s, i64 %n) sanitize_address {
  %place = getelementptr %share, ptr %s, i64 0, i32 3, i64 %n
  store i32 1, ptr %place, align 4
  %value = load i32, ptr %s, align 4
  %i = zext i32 %value to i64
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; A block that two tests lead to has the values of both ways: the minimum is 128, or t is less.
; CHECK-LABEL: kernel two_ways: 1 claims
; CHECK-NEXT: proven at launch if a + ({{.*}} where == either({{.*}}small({{.*}} where <= (u64(n) + -1)))),
; CHECK-SAME: {{^}} {{.*}} where >= 128)))) + u64(threadIdx.x)))), 1 bytes
define ptx_kernel void @two_ways(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 128
  %left = sub i32 %n, %first
  %valid = call i32 @llvm.smin.i32(i32 %left, i32 128)
  %full = icmp eq i32 %valid, 128
  %w = zext i32 %first to i64
  %t.w = zext i32 %t to i64
  %p = getelementptr i8, ptr %a, i64 %w
  %q = getelementptr i8, ptr %p, i64 %t.w
  br i1 %full, label %access, label %other
other:
  %in = icmp slt i32 %t, %valid
  br i1 %in, label %access, label %done
access:
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A flag that is true on some ways only: all of these have the test, and the last one the test of zero, too.
; CHECK-LABEL: kernel flags: 2 claims
; CHECK-NEXT: proven at launch if a + s64((threadIdx.x where < n)), 1 bytes,
; CHECK-NEXT: proven at launch if b + s64(((threadIdx.x where < n) where != 7)), 1 bytes,
define ptx_kernel void @flags(ptr %a, ptr %b, i32 %n, i32 %data) sanitize_address {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %in, label %joint
in:
  %seven = icmp eq i32 %i, 7
  br i1 %seven, label %joint, label %compare
compare:
  %compared = icmp sgt i32 %data, 3
  br label %joint
joint:
  %flag = phi i1 [ false, %entry ], [ true, %in ], [ %compared, %compare ]
  %other = phi i1 [ false, %entry ], [ false, %in ], [ %compared, %compare ]
  %w = sext i32 %i to i64
  br i1 %flag, label %first, label %second
first:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %second
second:
  br i1 %other, label %third, label %done
third:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; What a switch leaves, and a product: 12 * i + 12 <= n.
; CHECK-LABEL: kernel cases_and_products: 2 claims
; CHECK-NEXT: proven at launch if a + u64(((threadIdx.x where != 255) where != 0)) - 1, 1 bytes,
; CHECK-NEXT: proven at launch if b + s64({{.*}}either(either((threadIdx.x where == (
; CHECK-SAME: {{.*}} / 12)), (threadIdx.x where > 178956970)), (threadIdx.x where < -178956970)
define ptx_kernel void @cases_and_products(ptr %a, ptr %b, i32 %n) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %i, label %others [
    i32 255, label %next
    i32 0, label %next
  ]
others:
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  %before = getelementptr i8, ptr %p, i64 -1
  store i8 1, ptr %before, align 1
  br label %next
next:
  %product = mul i32 %i, 12
  %end = add i32 %product, 12
  %inside = icmp sle i32 %end, %n
  br i1 %inside, label %in, label %done
in:
  %v = sext i32 %i to i64
  %q = getelementptr i8, ptr %b, i64 %v
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A conditional sum, whose condition bounds the other operand; and cub's way to read a lane's number.
; CHECK-LABEL: kernel conditional_sum: 2 claims
; CHECK-NEXT: proven at launch if a + s64({{.*}} where == either({{.*}} where > 0) + -1), {{.*}} where <= 0) + -1) + width))
; CHECK-NEXT: proven at launch if a + u64(lane), 1 bytes,
define ptx_kernel void @conditional_sum(ptr %a, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = urem i32 %i, %width
  %left = add i32 %column, -1
  %inside = icmp sgt i32 %column, 0
  %more = select i1 %inside, i32 0, i32 %width
  %sum = add i32 %left, %more
  %w = sext i32 %sum to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %lane.w = zext i32 %lane to i64
  %q = getelementptr i8, ptr %a, i64 %lane.w
  store i8 1, ptr %q, align 1
  ret void
}

declare i32 @llvm.abs.i32(i32, i1)

; An index around t is mirrored at both ends of a row of n bytes. What is chosen where |t + i| >= n needs i >= 1 (as t is
; less than n). A chosen argument does not count if the test that chooses it is true in no thread.
; CHECK-LABEL: kernel mirrored: 2 claims, 0 checks in all variants
; CHECK-NEXT: (n + ((loop(-3, +1, rounds(-3, +1, while != 4)) where == (either(
; CHECK-SAME: - (threadIdx.x where < n))) ^ -1)))), 1 bytes, is in bounds
; CHECK-NEXT: where < n), ((n + 2) if there is (exact((max(((threadIdx.x where < n) + -3),
; CHECK-SAME: where >= 0)) where >= n)))), 1 bytes, is in bounds
define ptx_kernel void @mirrored(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %loop, label %done
loop:
  %i = phi i32 [ -3, %entry ], [ %next, %loop ]
  %x = add i32 %t, %i
  %k = call i32 @llvm.abs.i32(i32 %x, i1 true)
  %inside = icmp slt i32 %k, %n
  %not.i = xor i32 %i, -1
  %mirror = add i32 %n, %not.i
  %place = select i1 %inside, i32 %k, i32 %mirror
  %p = getelementptr i8, ptr %a, i32 %place
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 4
  br i1 %more, label %loop, label %last
last:
  %y = add i32 %t, -3
  %l = call i32 @llvm.abs.i32(i32 %y, i1 true)
  %fits = icmp slt i32 %l, %n
  %far = add i32 %n, 2
  %other = select i1 %fits, i32 %l, i32 %far
  %q = getelementptr i8, ptr %a, i32 %other
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A lower bound of an absolute value allows numbers of both signs, and the smallest number.
; CHECK-LABEL: kernel far: 1 claims, 0 checks in all variants
; CHECK-NEXT: s64(either(either(((threadIdx.x - n) where == (exact([[ABS:.*]]) where > 7)), ((threadIdx.x - n)
; CHECK-SAME: {{^}} where == (0 - (exact([[ABS]]) where > 7)))), ((threadIdx.x - n) where == -2147483648))), 1 bytes
define ptx_kernel void @far(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = sub i32 %t, %n
  %distance = call i32 @llvm.abs.i32(i32 %x, i1 false)
  %is.far = icmp sgt i32 %distance, 7
  br i1 %is.far, label %then, label %done
then:
  %p = getelementptr i8, ptr %a, i32 %x
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A lower bound of a sum with a flag bounds its terms only where no sum wraps around.
; CHECK-LABEL: kernel sum_with_flag: 1 claims, 0 checks in all variants
; CHECK-NEXT: s64(small((threadIdx.x where == (((threadIdx.x + n) where > 7) - n)))), 1 bytes, is in bounds
define ptx_kernel void @sum_with_flag(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %x = add nsw i32 %t, %n
  %in = icmp sgt i32 %x, 7
  br i1 %in, label %then, label %done
then:
  %p = getelementptr i8, ptr %a, i32 %t
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A test of the low bits allows numbers that these bits do not hold, on both sides.
; CHECK-LABEL: kernel low_bits: 1 claims, 0 checks in all variants
; CHECK-NEXT: where < 8))), ((u64(threadIdx.x) * scale) where > 2147483647)), ((u64(threadIdx.x) * scale)
; CHECK-SAME: {{^}} where < -2147483648)) where % 4294967296 ==
define ptx_kernel void @low_bits(ptr %a, i64 %scale) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %x = mul i64 %wide, %scale
  %low = trunc i64 %x to i32
  %in = icmp slt i32 %low, 8
  br i1 %in, label %then, label %done
then:
  %p = getelementptr i8, ptr %a, i64 %x
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; A flag from a loop's last round says nothing of a value that this round computes anew.
; CHECK-LABEL: kernel later: 1 claims, 1 checks in all variants
; CHECK: where < 9)) * 4), 4 bytes, is in bounds
; CHECK-NEXT: checked: nothing bounds a + u64(<load>), 1 bytes
define ptx_kernel void @later(ptr %a, ptr %d, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %round
round:
  %i = phi i32 [ %t, %entry ], [ %i.next, %yes ], [ %i.next, %no ]
  %flag = phi i1 [ false, %entry ], [ true, %yes ], [ false, %no ]
  %in = icmp slt i32 %i, 9
  br i1 %in, label %read, label %done
read:
  %j = zext i32 %i to i64
  %q = getelementptr i32, ptr %d, i64 %j
  %x = load i32, ptr %q, align 4
  br i1 %flag, label %use, label %test
use:
  %k = zext i32 %x to i64
  %p = getelementptr i8, ptr %a, i64 %k
  store i8 1, ptr %p, align 1
  br label %test
test:
  %i.next = add i32 %i, 1
  %less = icmp ult i32 %x, %n
  br i1 %less, label %yes, label %no
yes:
  br label %round
no:
  br label %round
done:
  ret void
}

; C's `a & b` and `a | b` of two conditions are numbers.
; CHECK-LABEL: kernel numbers: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(((threadIdx.x where <u n) where <u m)), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + u64(((threadIdx.x where >=u n) where >=u m)), 1 bytes, is in bounds
define ptx_kernel void @numbers(ptr %a, ptr %b, i32 %n, i32 %m) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %first = icmp ult i32 %t, %n
  %second = icmp ult i32 %t, %m
  %x = zext i1 %first to i32
  %y = zext i1 %second to i32
  %both = and i32 %x, %y
  %in = icmp ne i32 %both, 0
  br i1 %in, label %then, label %other
then:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %done
other:
  %any = or i32 %x, %y
  %out = icmp eq i32 %any, 0
  br i1 %out, label %neither, label %done
neither:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; If `a & b` is 0, or `a | b` is not, either may be true.
; CHECK-LABEL: kernel either: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(threadIdx.x), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + u64(threadIdx.x), 1 bytes, is in bounds
define ptx_kernel void @either(ptr %a, ptr %b, i32 %n, i32 %m) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %first = icmp ult i32 %t, %n
  %second = icmp ult i32 %t, %m
  %x = zext i1 %first to i32
  %y = zext i1 %second to i32
  %both = and i32 %x, %y
  %in = icmp eq i32 %both, 0
  br i1 %in, label %then, label %other
then:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %other
other:
  %any = or i32 %x, %y
  %out = icmp ne i32 %any, 0
  br i1 %out, label %some, label %done
some:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; max(t, 6) - t is below 3: t is 4 or 5, or the difference is 0 and t any number.
; CHECK-LABEL: kernel extreme: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where == either((threadIdx.x if there is (((((max(threadIdx.x, 6)
; CHECK-SAME: {{^}} + 15) - threadIdx.x) where <u 18) - 15) where == 0)), (6 - (((((max(threadIdx.x, 6) + 15) - threadIdx.x)
; CHECK-SAME: {{^}} where <u 18) - 15) where != 0))))), 1 bytes, is in bounds
define ptx_kernel void @extreme(ptr %a) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %most = call i32 @llvm.smax.i32(i32 %t, i32 6)
  %more = add i32 %most, 15
  %left = sub i32 %more, %t
  %near = icmp ult i32 %left, 18
  br i1 %near, label %i, label %done
i:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; Of a mask with a gap, only the bits below the lowest clear one say something: here none (a power of two divides 21 only
; if it is 1). A number whose bits 3 and 4 are not both 0 has a remainder of at least 8.
; CHECK-LABEL: kernel gaps: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where % 21 == ((threadIdx.x & 20) where == 16))), 1 bytes,
; CHECK-NEXT: proven at launch if b + u64(((threadIdx.x where == (((threadIdx.x /u 32) * 32) + ((((((threadIdx.x & 24)
; CHECK-SAME: {{^}} where != 0) + 7) >>u 3) << 3) + [0, 7]))) where % 32 ==
define ptx_kernel void @gaps(ptr %a, ptr %b) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %gap = and i32 %t, 20
  %high = icmp eq i32 %gap, 16
  br i1 %high, label %i, label %second
i:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %second
second:
  %bits = and i32 %t, 24
  %some = icmp ne i32 %bits, 0
  br i1 %some, label %j, label %done
j:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A test of adjacent bits says something of a remainder: of 32 (i, j, k), and of 16 (k). The bits of a mask with a gap
; say nothing of the last index.
; CHECK-LABEL: kernel masks: 4 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(((threadIdx.x where == (((threadIdx.x /u 32) * 32) + ((threadIdx.x & 31)
; CHECK-SAME: {{^}} where <u 8))) where % 32 == ((threadIdx.x & 31) where <u 8))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + u64(((threadIdx.x where == (((threadIdx.x /u 32) * 32) + (((threadIdx.x & 24)
; CHECK-SAME: {{^}} where == 0) + [0, 7]))) where % 32 == (((threadIdx.x & 24) where == 0) + [0, 7]))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if c + u64(((threadIdx.x where == (((threadIdx.x /u 16) * 16) + ((8 *
; CHECK-SAME: {{^}} minu(((threadIdx.x & 8) where != 0), 1)) + [0, 7])))
; CHECK-NEXT: proven at launch if d + u64(threadIdx.x), 1 bytes, is in bounds
define ptx_kernel void @masks(ptr %a, ptr %b, ptr %c, ptr %d) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %lane = and i32 %t, 31
  %first = icmp ult i32 %lane, 8
  br i1 %first, label %i, label %second
i:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %second
second:
  %high = and i32 %t, 24
  %none = icmp eq i32 %high, 0
  br i1 %none, label %j, label %third
j:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %third
third:
  %bit = and i32 %t, 8
  %set = icmp ne i32 %bit, 0
  br i1 %set, label %k, label %fourth
k:
  %r = getelementptr i8, ptr %c, i64 %w
  store i8 1, ptr %r, align 1
  br label %fourth
fourth:
  %gap = and i32 %t, 20
  %both = icmp ugt i32 %gap, 16
  br i1 %both, label %l, label %done
l:
  %s = getelementptr i8, ptr %d, i64 %w
  store i8 1, ptr %s, align 1
  br label %done
done:
  ret void
}
