; Variables of loops: the number of rounds that the tests allow, and variables for which nothing is known.
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

; CHECK-LABEL: kernel counted: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (u64(loop(0, +1, rounds(0, +1, while < n))) * 4), 4 bytes, is in bounds
define ptx_kernel void @counted(ptr %a, i32 %n) sanitize_address {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; As clang -O0 compiles it: the test is before the body.
; CHECK-LABEL: kernel tested_first: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + (s64((loop(0, +1, either(0, (1 + rounds((0 where < n), +1,
; CHECK-SAME: {{^}} while < n)))) where < n)) * 4), 4 bytes, is in bounds
define ptx_kernel void @tested_first(ptr %a, i32 %n) sanitize_address {
entry:
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, 1
  br label %test
done:
  ret void
}

; Down to 0; and a second variable that counts the same rounds.
; CHECK-LABEL: kernel downwards: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((loop(n, +-1, rounds(n, +-1, while > 0)) + -1)), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + loop(0, +2, rounds(n, +-1, while > 0)), 1 bytes, is in bounds
define ptx_kernel void @downwards(ptr %a, ptr %b, i32 %n) sanitize_address {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %next = add i32 %i, -1
  %w = sext i32 %next to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %k
  store i8 1, ptr %q, align 1
  %k.next = add i64 %k, 2
  %more = icmp sgt i32 %next, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Several rounds at once.
; CHECK-LABEL: kernel unrolled: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(loop(0, +4, rounds(0, +4, while != (n & -4)))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + u64(loop(0, +4, rounds(0, +4, while != (n & -4)))) + 3, 1 bytes, is in bounds
define ptx_kernel void @unrolled(ptr %a, i32 %n) sanitize_address {
entry:
  %most = and i32 %n, -4
  %none = icmp eq i32 %most, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %q = getelementptr i8, ptr %p, i64 3
  store i8 1, ptr %q, align 1
  %next = add i32 %i, 4
  %end = icmp eq i32 %next, %most
  br i1 %end, label %done, label %loop
done:
  ret void
}

; No value is beyond n, nor farther than the rounds lead.
; CHECK-LABEL: kernel grid_stride: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((either((threadIdx.x where < n),
; CHECK-SAME: {{^}} (([[LOOP:loop\(\(threadIdx.x where < n\), \+blockDim.x,]]
; CHECK-SAME: {{^}} [[ROUNDS:rounds\(\(threadIdx.x where < n\), \+blockDim.x, while < n\)\)]] + blockDim.x) where < n))
; CHECK-SAME: {{^}} where == [[LOOP]] [[ROUNDS]])), 1 bytes, is in bounds
define ptx_kernel void @grid_stride(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %stride = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %some = icmp slt i32 %t, %n
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, %stride
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The start of a tile is at most the last multiple of 16 below n.
; CHECK-LABEL: kernel tiles: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((loop(0, +16, rounds(0, +16, while < n)) + threadIdx.x)),
; CHECK-SAME: {{^}} 1 bytes, is in bounds
define ptx_kernel void @tiles(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %start = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %start, %t
  %w = sext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add nuw nsw i32 %start, 16
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A block fills 22 elements with 16 threads, and the test is on the variable before its step.
; CHECK-LABEL: kernel tested_before_it_moves: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((either((threadIdx.x where <u 22),
; CHECK-SAME: {{^}} (([[LOOP:loop\(\(threadIdx.x where <u 22\), \+16, either\(0,]]
; CHECK-SAME: {{^}} [[ROUNDS:\(1 \+ rounds\(\(\(threadIdx.x where <u 22\) where <u 6\), \+16, while <u 6\)\)\)\)]]
; CHECK-SAME: {{^}} where <u 6) + 16)) where == [[LOOP]] [[ROUNDS]])), 1 bytes, is in bounds
define ptx_kernel void @tested_before_it_moves(ptr %a) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %some = icmp ult i32 %t, 22
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 16
  %more = icmp ult i32 %i, 6
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The rest of an unrolled loop begins at 0 only if n is less than 4, and after the unrolled rounds only if rounds are
; left.
; CHECK-LABEL: kernel left_over: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(loop(0, +4, rounds(0, +4, while != (n & -4)))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if a + u64(loop(either((0 if there is (n where <u 4)),
; CHECK-SAME: {{^}} ({{.*}} if there is ((n & 3) where != 0)) if there is (n where >=u 4))), +1, rounds(0, +1,
; CHECK-SAME: {{^}} while != (n & 3)))), 1 bytes, is in bounds
define ptx_kernel void @left_over(ptr %a, i32 %n) sanitize_address {
entry:
  %rest = and i32 %n, 3
  %few = icmp ult i32 %n, 4
  br i1 %few, label %left, label %most
most:
  %even = and i32 %n, -4
  br label %loop
loop:
  %i = phi i32 [ 0, %most ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 4
  %end = icmp eq i32 %next, %even
  br i1 %end, label %behind, label %loop
behind:
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %done, label %left
left:
  %first = phi i32 [ 0, %entry ], [ %next, %behind ]
  br label %one
one:
  %j = phi i32 [ %first, %left ], [ %j.next, %one ]
  %k = phi i32 [ 0, %left ], [ %k.next, %one ]
  %w2 = zext i32 %j to i64
  %q = getelementptr i8, ptr %a, i64 %w2
  store i8 1, ptr %q, align 1
  %j.next = add i32 %j, 1
  %k.next = add i32 %k, 1
  %last = icmp eq i32 %k.next, %rest
  br i1 %last, label %done, label %one
done:
  ret void
}

; Rounds of four, up to each thread's own limit: both are multiples of four, so the end is reached. With rounds of
; three, it need not be.
; CHECK-LABEL: kernel own_end: 1 claims, 1 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(loop(0, +4, rounds((0 >>u 2), +1,
; CHECK-SAME: {{^}} while != ((((threadIdx.x where >=u 4) & 1020) where != (loop(0, +4, any) + 4)) >>u 2)))), 1 bytes,
; CHECK-SAME: {{^}} is in bounds
; CHECK-NEXT: checked: in ordinary launches nothing shows that a + u64(loop(0, +3,
define ptx_kernel void @own_end(ptr %a) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %end = and i32 %t, 1020
  %some = icmp uge i32 %t, 4
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 4
  %more = icmp ne i32 %next, %end
  br i1 %more, label %loop, label %threes
threes:
  br label %three
three:
  %j = phi i32 [ 0, %threes ], [ %j.next, %three ]
  %v = zext i32 %j to i64
  %q = getelementptr i8, ptr %a, i64 %v
  store i8 1, ptr %q, align 1
  %j.next = add i32 %j, 3
  %again = icmp ne i32 %j.next, %end
  br i1 %again, label %three, label %done
done:
  ret void
}

; A pointer that continues in the inner loop moves by all of its rounds in one round of the outer loop.
; CHECK-LABEL: kernel nested: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + loop(loop(0, +(4 + loop(0, +4, rounds(0, +1, while < m))), rounds(0, +1,
; CHECK-SAME: {{^}} while < n)), +4, rounds(0, +1, while < m)), 4 bytes, is in bounds
define ptx_kernel void @nested(ptr %a, i32 %n, i32 %m) sanitize_address {
entry:
  %some = icmp sgt i32 %m, 0
  br i1 %some, label %outer, label %done
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %p = phi ptr [ %a, %entry ], [ %behind, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %q = phi ptr [ %p, %outer ], [ %next, %inner ]
  store i32 1, ptr %q, align 4
  %next = getelementptr i8, ptr %q, i64 4
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %m
  br i1 %more, label %inner, label %latch
latch:
  %behind = phi ptr [ %next, %inner ]
  %i.next = add i32 %i, 1
  %again = icmp slt i32 %i.next, %n
  br i1 %again, label %outer, label %done
done:
  ret void
}

; CHECK-LABEL: kernel halved: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64((((either(blockDim.x, (((<phi> where <=u blockDim.x) >>u 1) where != 0))
; CHECK-SAME: {{^}} where == (<phi> where <=u blockDim.x)) >>u 1) where != 0)), round by round, 1 bytes, is in bounds
define ptx_kernel void @halved(ptr %a) sanitize_address {
entry:
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %test
test:
  %s = phi i32 [ %threads, %entry ], [ %next, %body ]
  %next = lshr i32 %s, 1
  %more = icmp ne i32 %next, 0
  br i1 %more, label %body, label %done
body:
  %w = zext i32 %next to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %test
done:
  ret void
}

; A pointer that walks.
; CHECK-LABEL: kernel walking: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + loop(0, +4, rounds(0, +4, while != (n * 4))), 4 bytes, is in bounds
define ptx_kernel void @walking(ptr %a, i64 %n) sanitize_address {
entry:
  %end = getelementptr i32, ptr %a, i64 %n
  %none = icmp eq i64 %n, 0
  br i1 %none, label %done, label %loop
loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  store i32 1, ptr %p, align 4
  %next = getelementptr i8, ptr %p, i64 4
  %last = icmp eq ptr %next, %end
  br i1 %last, label %done, label %loop
done:
  ret void
}

; After the loop the variable is one step farther than in it.
; CHECK-LABEL: kernel behind: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((loop(0, +1, either(0, (1 + rounds((0 where < n), +1,
; CHECK-SAME: {{^}} while < n)))) where >= n)), 1 bytes, is in bounds
define ptx_kernel void @behind(ptr %a, i32 %n) sanitize_address {
entry:
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %next = add i32 %i, 1
  br label %test
done:
  %w = sext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; The end is data, the step differs between rounds, or some rounds skip the test.
; CHECK-LABEL: kernel unknown_end: 1 claims, 1 checks in all variants
; CHECK-NEXT: proven at launch if b + 0, 4 bytes, is in bounds
; CHECK-NEXT: checked: nothing bounds a + u64((either(0, ((<phi> where <u <load>) + 1)) where <u <load>)), 1 bytes,
define ptx_kernel void @unknown_end(ptr %a, ptr %b) sanitize_address {
entry:
  %n = load i32, ptr %b, align 4
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 1
  br label %test
done:
  ret void
}

; CHECK-LABEL: kernel unknown_step: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: nothing bounds a + s64(either(0, ((<phi> + u32(<load>)) where < n))), 1 bytes,
define ptx_kernel void @unknown_step(ptr %a, ptr %b, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  %x = load i8, ptr %p, align 1
  %step = zext i8 %x to i32
  %next = add i32 %i, %step
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; CHECK-LABEL: kernel sometimes_tested: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: nothing bounds a + u64(<phi>), 1 bytes,
define ptx_kernel void @sometimes_tested(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  %x = load i8, ptr %p, align 1
  %skip = icmp eq i8 %x, 0
  br i1 %skip, label %latch, label %test
test:
  %more = icmp slt i32 %i, %n
  br i1 %more, label %latch, label %done
latch:
  %next = add i32 %i, 1
  br label %loop
done:
  ret void
}

; The limit changes in the loop: it is unknown when the two are equal.
; CHECK-LABEL: kernel moving_end: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: nothing bounds a + u64(<phi>), 1 bytes,
define ptx_kernel void @moving_end(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %end = phi i32 [ %n, %entry ], [ %end.next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 1
  %end.next = add i32 %end, 1
  %same = icmp eq i32 %next, %end
  br i1 %same, label %done, label %loop
done:
  ret void
}

; A GPU continues after a division by 0, with a result that may be greater than the dividend.
; CHECK-LABEL: kernel divided: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: nothing bounds a + u64(either(n, (((<phi> where == {{.*}}) /u by) where != n))), 1 bytes,
define ptx_kernel void @divided(ptr %a, i32 %n, i32 %by) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = udiv i32 %i, %by
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Behind a loop whose rounds are counted, every variable has a certain value: i is 1 + 3 * rest.
; CHECK-LABEL: kernel behind_counter: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(({{.*}} where == (1 + (rest * 3)))), 1 bytes,
define ptx_kernel void @behind_counter(ptr %a, i32 %rest) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %count = phi i32 [ 0, %entry ], [ %counted, %loop ]
  %next = add i32 %i, 3
  %counted = add i32 %count, 1
  %last = icmp eq i32 %counted, %rest
  br i1 %last, label %behind, label %loop
behind:
  %w = sext i32 %next to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; The loop may also end before the variable moves: its value is that of the round before.
; CHECK-LABEL: kernel behind_test: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(either(7, loop(1, +3, minu(
define ptx_kernel void @behind_test(ptr %a, i32 %rest) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %latch ]
  %old = phi i32 [ 7, %entry ], [ %i, %latch ]
  %count = phi i32 [ 0, %entry ], [ %counted, %latch ]
  %last = icmp eq i32 %count, 9
  br i1 %last, label %behind, label %latch
latch:
  %next = add i32 %i, 3
  %counted = add i32 %count, 1
  %end = icmp eq i32 %counted, %rest
  br i1 %end, label %behind, label %loop
behind:
  %w = sext i32 %old to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; Values in turn: one minus itself, flipped bits, and two variables that exchange their values.
; CHECK-LABEL: kernel in_turn: 3 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(either(0, exact(1))), 1 bytes,
; CHECK-NEXT: proven at launch if a + s64(either(n, (n ^ 4))), 1 bytes,
; CHECK-NEXT: proven at launch if a + s64(either(7, n)), 1 bytes,
define ptx_kernel void @in_turn(ptr %a, i32 %n, i32 %rounds) sanitize_address {
entry:
  br label %loop
loop:
  %one = phi i32 [ 0, %entry ], [ %one.next, %loop ]
  %bits = phi i32 [ %n, %entry ], [ %bits.next, %loop ]
  %first = phi i32 [ 7, %entry ], [ %second, %loop ]
  %second = phi i32 [ %n, %entry ], [ %first, %loop ]
  %count = phi i32 [ 0, %entry ], [ %counted, %loop ]
  %w = sext i32 %one to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %bits.w = sext i32 %bits to i64
  %q = getelementptr i8, ptr %a, i64 %bits.w
  store i8 1, ptr %q, align 1
  %first.w = sext i32 %first to i64
  %r = getelementptr i8, ptr %a, i64 %first.w
  store i8 1, ptr %r, align 1
  %one.next = sub nsw i32 1, %one
  %bits.next = xor i32 %bits, 4
  %counted = add i32 %count, 1
  %more = icmp slt i32 %counted, %rounds
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The place of the smallest element: each round keeps it, or replaces it by its own number.
; CHECK-LABEL: kernel kept: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(either(0, (((loop(0, +1, rounds(0, +1, while < n)) + 1) where < n) - 1))), 1 bytes,
define ptx_kernel void @kept(ptr %a, i32 %n, float %data) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = phi i32 [ 0, %entry ], [ %new, %loop ]
  %least = phi float [ 1.0, %entry ], [ %data, %loop ]
  %less = fcmp olt float %data, %least
  %new = select i1 %less, i32 %i, i32 %place
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %w = sext i32 %place to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; The rounds that an unrolled loop leaves: the loop is entered if there are fewer than eight rounds in all, or if some are
; left. Either way there is one.
; CHECK-LABEL: kernel left_by_unrolling: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64(loop(0, +1, rounds(0, +1, while != {{.*}} & 7) {{.*}} where == either(
; CHECK-SAME: {{^}}{{.*}} where >=u 8) where != 0) & 7) where != 0), {{.*}} where <u 8) where != 0) & 7)
define ptx_kernel void @left_by_unrolling(ptr %a) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %rounds = lshr i32 %t, 5
  %none = icmp eq i32 %rounds, 0
  br i1 %none, label %done, label %some
some:
  %rest = and i32 %rounds, 7
  %few = icmp ult i32 %rounds, 8
  br i1 %few, label %left, label %unrolled
unrolled:
  %finished = icmp eq i32 %rest, 0
  br i1 %finished, label %done, label %left
left:
  br label %loop
loop:
  %i = phi i32 [ 0, %left ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, %rest
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The loop's end is its start and a width, which alone is the number of rounds. An overflow ends the loop early.
; CHECK-LABEL: kernel tile: 1 claims, 0 checks in all variants
; CHECK: loop((threadIdx.x * 8), +1, minu(rounds((threadIdx.x * 8), +1, while < {{.*}}), exact(rounds(0, +1, while < 8))))
define ptx_kernel void @tile(ptr %to) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %t, 8
  %end = add i32 %first, 8
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A number moves on by 1 or by 3 in each round. The test inside of the loop is not one of all rounds.
; CHECK-LABEL: kernel chosen: 1 claims, 0 checks in all variants
; CHECK: loop(0, +either({{.*}}3{{.*}}1{{.*}}), rounds(0, +1, while < n))
define ptx_kernel void @chosen(ptr %a, i32 %n, i32 %odd) sanitize_address {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %at = phi i32 [ 0, %entry ], [ %moved, %end ]
  %w = sext i32 %at to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %bit = and i32 %i, 1
  %more = icmp eq i32 %bit, %odd
  br i1 %more, label %far, label %near
far:
  %three = add i32 %at, 3
  br label %end
near:
  %one = add i32 %at, 1
  br label %end
end:
  %moved = phi i32 [ %three, %far ], [ %one, %near ]
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret void
}
