; A number and some of its own bits: 2 * t - (t & (distance - 1)), and the same plus the distance.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: kernel butterfly:
; CHECK-NEXT: proven at launch if a + u64(((threadIdx.x + (threadIdx.x & ((distance + -1) ^ -1)))
; CHECK-SAME: {{^}} where == ((threadIdx.x << 1) - ((distance + -1) & threadIdx.x)))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + u64(((threadIdx.x + ((threadIdx.x | (distance + -1)) + 1))
; CHECK-SAME: {{^}} where =={{.*}} + distance))), 1 bytes, is in bounds
define ptx_kernel void @butterfly(ptr %a, ptr %b, i32 %distance) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl i32 %t, 1
  %mask = add i32 %distance, -1
  %low = and i32 %mask, %t
  %i = sub i32 %twice, %low
  %wide = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %j = add i32 %i, %distance
  %other = zext i32 %j to i64
  %q = getelementptr i8, ptr %b, i64 %other
  store i8 1, ptr %q, align 1
  ret void
}

; Only the lowest bits of t matter, as LLVM has noticed.
; CHECK-LABEL: kernel few:
; CHECK-NEXT: proven at launch if a + u64((exact((threadIdx.x + ((threadIdx.x | (exact((distance + 1023)) & 1023)) +
; CHECK-SAME: {{^}} 1))) where =={{.*}}, 1 bytes, is in bounds
define ptx_kernel void @few(ptr %a, i32 %distance) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl nuw nsw i32 %t, 1
  %mask = add nuw nsw i32 %distance, 1023
  %low = and i32 %mask, %t
  %i = sub nsw i32 %twice, %low
  %j = add nsw i32 %i, %distance
  %other = zext i32 %j to i64
  %q = getelementptr i8, ptr %a, i64 %other
  store i8 1, ptr %q, align 1
  ret void
}

; The mask, or the minuend, is of another number; or the promise is about the result and not about its parts.
; CHECK-LABEL: kernel different:
; CHECK-NEXT: proven at launch if a + u64((n - ((distance + -1) & threadIdx.x))), 1 bytes, is in bounds
; CHECK-NEXT: proven at launch if b + u64((((threadIdx.x + (threadIdx.x & ((distance + -1) ^ -1)))
; CHECK-SAME: {{^}} where == ((threadIdx.x << 1) - ((distance + -1) & threadIdx.x))) + n)), 1 bytes, is in bounds
; CHECK-NEXT: checked: in ordinary launches nothing shows that c + u64(exact(((threadIdx.x << 1) - ((distance + -1) &
; CHECK-SAME: {{^}} threadIdx.x)))), 1 bytes,
define ptx_kernel void @different(ptr %a, ptr %b, ptr %c, i32 %distance, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %twice = shl i32 %t, 1
  %mask = add i32 %distance, -1
  %low = and i32 %mask, %t
  %i = sub i32 %n, %low
  %wide = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %k = sub i32 %twice, %low
  %j = add i32 %k, %n
  %other = zext i32 %j to i64
  %q = getelementptr i8, ptr %b, i64 %other
  store i8 1, ptr %q, align 1
  %l = sub nuw i32 %twice, %low
  %third = zext i32 %l to i64
  %r = getelementptr i8, ptr %c, i64 %third
  store i8 1, ptr %r, align 1
  ret void
}

; A value that is halved until it is 0 is not 0 before.
; CHECK-LABEL: kernel halves:
; CHECK-NEXT: proven at launch if a + u64(((either(n, (((<phi> where <=u n) >>u 1) where != 0))
; CHECK-SAME: {{^}} where == (<phi> where <=u n)) + -1)), round by round, 1 bytes, is in bounds
define ptx_kernel void @halves(ptr %a, i32 %n) sanitize_address {
entry:
  %some = icmp ne i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %distance = phi i32 [ %n, %entry ], [ %half, %loop ]
  %less = add i32 %distance, -1
  %wide = zext i32 %less to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %half = lshr i32 %distance, 1
  %over = icmp eq i32 %half, 0
  br i1 %over, label %done, label %loop
done:
  ret void
}
