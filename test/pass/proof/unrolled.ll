; Loops that nvcc has unrolled: single rounds first, then four rounds in one. Tests in front of the loops show how many
; rounds there are. And loops that lack one of these tests, or have another one.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s
; RUN: for change in '%last, 3$/%last, 2' '%rest, 3/%rest, 2' 'rounds = add i32 %last, 1/rounds = add i32 %last, 2' \
; RUN:   'slt i32 %j4/sle i32 %j4' 'some = icmp slt/some = icmp sle' 'j4 = add i32 %j3, .step/j4 = add i32 %j3, 1' \
; RUN:   '%distance, %divisor/%distance, 3' '%fewer, 0/%fewer, 1' 'add i32 %less, %n/add i32 %n, 1'; do \
; RUN:   sed "s/$change/" %s > %t.ll && ! cmp -s %s %t.ll && \
; RUN:   %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:     -disable-output %t.ll 2>&1 | FileCheck --check-prefix=OTHER %s || exit 1; done

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

; The rest is a loop, and the pointer of the main loop moves beside the index.
; CHECK-LABEL: kernel strided: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + {{.*}}where <= low32((-1 + s64(n)))
; CHECK-NEXT: proven at launch if a + {{.*}}where <= low32(((-1 + (s64(blockDim.x) * -3)) + s64(n)))
; OTHER-LABEL: kernel strided:
; OTHER-NOT: blockDim.x) * -3
; OTHER: kernel strided looks
define ptx_kernel void @strided(ptr %a, i32 %n) sanitize_address {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %step = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %some = icmp slt i32 %thread, %n
  br i1 %some, label %count, label %done
count:
  %behind = add i32 %thread, %step
  %not = xor i32 %behind, -1
  %less = add i32 %step, %not
  %distance = add i32 %less, %n
  %divisor = call i32 @llvm.umax.i32(i32 %step, i32 1)
  %last = udiv i32 %distance, %divisor
  %rest = and i32 %last, 3
  %none = icmp eq i32 %rest, 3
  br i1 %none, label %between, label %ready
ready:
  %rounds = add i32 %last, 1
  %single = and i32 %rounds, 3
  br label %loop
loop:
  %i = phi i32 [ %thread, %ready ], [ %next, %loop ]
  %left = phi i32 [ %single, %ready ], [ %fewer, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, %step
  %fewer = add i32 %left, -1
  %over = icmp eq i32 %fewer, 0
  br i1 %over, label %between, label %loop
between:
  %begin = phi i32 [ %thread, %count ], [ %next, %loop ]
  %few = icmp ult i32 %last, 3
  br i1 %few, label %done, label %enough
enough:
  %far = sext i32 %begin to i64
  %from = getelementptr i32, ptr %a, i64 %far
  %bytes = shl i32 %step, 2
  %move = zext i32 %bytes to i64
  br label %main
main:
  %j = phi i32 [ %begin, %enough ], [ %j4, %main ]
  %q = phi ptr [ %from, %enough ], [ %q4, %main ]
  store i32 2, ptr %q, align 4
  %q1 = getelementptr i8, ptr %q, i64 %move
  %q2 = getelementptr i8, ptr %q1, i64 %move
  %q3 = getelementptr i8, ptr %q2, i64 %move
  %q4 = getelementptr i8, ptr %q3, i64 %move
  %j1 = add i32 %j, %step
  %j2 = add i32 %j1, %step
  %j3 = add i32 %j2, %step
  %j4 = add i32 %j3, %step
  %more = icmp slt i32 %j4, %n
  br i1 %more, label %main, label %done
done:
  ret void
}

; The main loop comes first, and counts its rounds. The other one begins where the main loop ends.
; CHECK-LABEL: kernel counted: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + {{.*}}where <= low32((-4 + s64({{.*}}
; CHECK-NEXT: proven at launch if a + {{.*}}where <= low32((-1 + s64({{.*}}
define ptx_kernel void @counted(ptr %a, i32 %n, i32 %share) sanitize_address {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = mul i32 %share, %thread
  %behind = add i32 %first, %share
  %end = call i32 @llvm.umin.i32(i32 %behind, i32 %n)
  %any = icmp ult i32 %first, %end
  br i1 %any, label %count, label %done
count:
  %distance = sub i32 %end, %first
  %rest = and i32 %distance, 3
  %opposite = sub i32 %first, %end
  %few = icmp ugt i32 %opposite, -4
  br i1 %few, label %between, label %ready
ready:
  %most = and i32 %distance, -4
  br label %main
main:
  %i = phi i32 [ %first, %ready ], [ %i4, %main ]
  %left = phi i32 [ %most, %ready ], [ %fewer, %main ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %i4 = add i32 %i, 4
  %fewer = add i32 %left, -4
  %over = icmp eq i32 %fewer, 0
  br i1 %over, label %ended, label %main
ended:
  %reached = add i32 %first, %most
  br label %between
between:
  %begin = phi i32 [ %first, %count ], [ %reached, %ended ]
  %none = icmp eq i32 %rest, 0
  br i1 %none, label %done, label %single
single:
  %j = phi i32 [ %begin, %between ], [ %next, %single ]
  %still = phi i32 [ %rest, %between ], [ %less, %single ]
  %v = zext i32 %j to i64
  %q = getelementptr i32, ptr %a, i64 %v
  store i32 2, ptr %q, align 4
  %next = add i32 %j, 1
  %less = add i32 %still, -1
  %last = icmp eq i32 %less, 0
  br i1 %last, label %done, label %single
done:
  ret void
}
