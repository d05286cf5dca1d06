; Products of a distance that grows and a thread's number that is less than a count that shrinks at the same pace.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; The distance is 1 or, after the last round, at most twice the half of n; the product is at most twice the half of n.
; CHECK-LABEL: kernel halves: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((small(
; CHECK-SAME: exact(either(1, ((<phi> where <=u low32(((u64(1) * u64((n >>u 1))) * 2))) where >=u 1)))
; CHECK-SAME: {{^}} << 1)) where ==
; CHECK-SAME: where <= low32(((u64(1) * u64((n >>u 1))) * 2)))) + -1)), round by round, 1 bytes, is in bounds
define ptx_kernel void @halves(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %half = lshr i32 %n, 1
  br label %round
round:
  %distance = phi i32 [ 1, %entry ], [ %farther, %latch ]
  %count = phi i32 [ %half, %entry ], [ %fewer, %latch ]
  %more = icmp sgt i32 %count, 0
  br i1 %more, label %body, label %done
body:
  %in = icmp slt i32 %t, %count
  br i1 %in, label %then, label %latch
then:
  %twice = shl i32 %t, 1
  %x = add i32 %twice, 2
  %product = mul i32 %distance, %x
  %place = add i32 %product, -1
  %p = getelementptr i8, ptr %a, i32 %place
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %farther = shl i32 %distance, 1
  %fewer = lshr i32 %count, 1
  br label %round
done:
  ret void
}

; The distance grows faster than the count shrinks: only the rounds, one by one, bound it.
; CHECK-LABEL: kernel faster: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64(((either(1, (<phi> << 2)) * {{.*}} + -1)), round by round, 1 bytes
define ptx_kernel void @faster(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %half = lshr i32 %n, 1
  br label %round
round:
  %distance = phi i32 [ 1, %entry ], [ %farther, %latch ]
  %count = phi i32 [ %half, %entry ], [ %fewer, %latch ]
  %more = icmp sgt i32 %count, 0
  br i1 %more, label %body, label %done
body:
  %in = icmp slt i32 %t, %count
  br i1 %in, label %then, label %latch
then:
  %twice = shl i32 %t, 1
  %x = add i32 %twice, 2
  %product = mul i32 %distance, %x
  %place = add i32 %product, -1
  %p = getelementptr i8, ptr %a, i32 %place
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %farther = shl i32 %distance, 2
  %fewer = lshr i32 %count, 1
  br label %round
done:
  ret void
}

; A known number of rounds bounds the distance, which doubles.
; CHECK-LABEL: kernel doubles: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + s64((either(2, ((2 << low32([[ROUNDS:either\(0, \(1 \+ rounds\(.*\)\)\)]])) * 2))
; CHECK-SAME: {{^}} where == (2 << low32([[ROUNDS]])))), round by round, 1 bytes, is in bounds
define ptx_kernel void @doubles(ptr %a, i32 %n) sanitize_address {
entry:
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %distance = phi i32 [ 2, %entry ], [ %farther, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr i8, ptr %a, i32 %distance
  store i8 1, ptr %p, align 1
  %farther = mul i32 %distance, 2
  %next = add i32 %i, 1
  br label %round
done:
  ret void
}

; The distance grows faster than the count shrinks: only the number of rounds bounds it, and its greatest value
; bounds the product.
; CHECK-LABEL: kernel faster_in_four_rounds: 1 claims, 0 checks in all variants
; CHECK-NEXT: where == (1 << low32((either(0, (1 + rounds((0 where != 4), +1, while != 4))) * 2)))) * (threadIdx.x where
; CHECK-SAME: {{^}} < (either((n >>u 1), ((<phi> where <=u (n >>u 1)) >>u 1)) where == (<phi> where <=u (n >>u 1)))))),
; CHECK-SAME: {{^}} round by round, 1 bytes, is in bounds
define ptx_kernel void @faster_in_four_rounds(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %half = lshr i32 %n, 1
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %distance = phi i32 [ 1, %entry ], [ %farther, %latch ]
  %count = phi i32 [ %half, %entry ], [ %fewer, %latch ]
  %more = icmp ne i32 %i, 4
  br i1 %more, label %body, label %done
body:
  %in = icmp slt i32 %t, %count
  br i1 %in, label %then, label %latch
then:
  %product = mul i32 %distance, %t
  %p = getelementptr i8, ptr %a, i32 %product
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %next = add i32 %i, 1
  %farther = shl i32 %distance, 2
  %fewer = lshr i32 %count, 1
  br label %round
done:
  ret void
}

; A thread's number may be the count itself: then one distance is added to the bound.
; CHECK-LABEL: kernel last_thread: 1 claims, 0 checks in all variants
; CHECK-NEXT: where <= low32((((u64(1) * u64((n >>u 1))) * 2) + u64((either(1,
define ptx_kernel void @last_thread(ptr %a, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %half = lshr i32 %n, 1
  br label %round
round:
  %distance = phi i32 [ 1, %entry ], [ %farther, %latch ]
  %count = phi i32 [ %half, %entry ], [ %fewer, %latch ]
  %more = icmp sgt i32 %count, 0
  br i1 %more, label %body, label %done
body:
  %in = icmp sle i32 %t, %count
  br i1 %in, label %then, label %latch
then:
  %twice = shl i32 %t, 1
  %x = add i32 %twice, 1
  %product = mul i32 %distance, %x
  %p = getelementptr i8, ptr %a, i32 %product
  store i8 1, ptr %p, align 1
  br label %latch
latch:
  %farther = shl i32 %distance, 1
  %fewer = lshr i32 %count, 1
  br label %round
done:
  ret void
}
