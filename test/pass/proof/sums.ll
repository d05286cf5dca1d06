; Tests that relate two numbers whose sum is an index: tiles of which the last one is not full.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

; t + 1 < min(n - first, 1024): first + t <= n - 2. One claim for both accesses, which are at a constant distance.
; CHECK-LABEL: kernel one_number: 1 claims
; CHECK-NEXT: proven at launch if a + (s64(small(({{.*}} where == low32(small(({{.*}} where <= (u64(n) + -2))))))) * 4),
; CHECK-SAME: {{^}} 4 bytes,
; CHECK-NEXT: proven at launch if a + {{.*}} + 4, 4 bytes
define ptx_kernel void @one_number(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 1024
  %left = sub i32 %n, %first
  %valid = call i32 @llvm.smin.i32(i32 %left, i32 1024)
  %next = add i32 %t, 1
  %inside = icmp slt i32 %next, %valid
  br i1 %inside, label %access, label %done
access:
  %sum = add i32 %t, %first
  %w = sext i32 %sum to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}

; The same with two steps of a pointer, and unsigned.
; CHECK-LABEL: kernel two_steps: 1 claims
; CHECK-NEXT: proven at launch if a + ({{.*}} where == (small(({{.*}} where <= (u64(n) + -1))) * 4)), 4 bytes
define ptx_kernel void @two_steps(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 1024
  %left = sub i32 %n, %first
  %valid = call i32 @llvm.umin.i32(i32 1024, i32 %left)
  %inside = icmp ult i32 %t, %valid
  br i1 %inside, label %access, label %done
access:
  %w = zext i32 %first to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %t.w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %t.w
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}

; A test of the sum, and an access in two steps.
; CHECK-LABEL: kernel tested_sum: 1 claims
; CHECK-NEXT: proven at launch if a + ({{.*}} where == (small(({{.*}} where <= (s64(n) + -1))) * 4)), 4 bytes
define ptx_kernel void @tested_sum(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 1024
  %sum = add i32 %first, %t
  %inside = icmp slt i32 %sum, %n
  br i1 %inside, label %access, label %done
access:
  %w = zext i32 %first to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %t.w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %t.w
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}

; Three terms, of which a test relates two: the column of a matrix.
; CHECK-LABEL: kernel three_terms: 1 claims
; CHECK-NEXT: proven at launch if a + s64(small(({{.*}} where == low32((small(({{.*}} where <= (u64(n) + -1)))
; CHECK-SAME: {{.*}}1 bytes,
define ptx_kernel void @three_terms(ptr %a, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = shl i32 %b, 4
  %sum = add i32 %first, %t
  %inside = icmp ult i32 %sum, %n
  br i1 %inside, label %access, label %done
access:
  %row = mul i32 %b, %n
  %row.t = add i32 %row, %t
  %index = add i32 %row.t, %first
  %w = sext i32 %index to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  br label %done
done:
  ret void
}

; Other numbers, or other scales: the test says nothing.
; CHECK-LABEL: kernel unrelated: 2 claims
; CHECK-NOT: small(
define ptx_kernel void @unrelated(ptr %a, ptr %c, i32 %n, i32 %m) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 1024
  %other = mul i32 %b, %m
  %left = sub i32 %n, %other
  %inside = icmp slt i32 %t, %left
  br i1 %inside, label %access, label %done
access:
  %sum = add i32 %t, %first
  %w = sext i32 %sum to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %w.other = zext i32 %other to i64
  %q = getelementptr i64, ptr %c, i64 %w.other
  %t.w = zext i32 %t to i64
  %r = getelementptr i32, ptr %q, i64 %t.w
  store i32 1, ptr %r, align 4
  br label %done
done:
  ret void
}


; A test of a difference's operands bounds the difference; a test of other numbers does not.
; CHECK-LABEL: kernel falling: 2 claims
; CHECK-NEXT: proven at launch if a + ({{.*}}small(({{.*}} where <= 15)){{.*}} * 4), 4 bytes
; CHECK-NEXT: proven at launch if c +
; CHECK-NOT: where <= 15
define ptx_kernel void @falling(ptr %a, ptr %c, i32 %m, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %up = add i32 %t, 15
  %inside = icmp sle i32 %t, %m
  br i1 %inside, label %access, label %done
access:
  %place = sub i32 %up, %m
  %w = sext i32 %place to i64
  %p = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %p, align 4
  %other = sub i32 %up, %n
  %w.other = sext i32 %other to i64
  %q = getelementptr i32, ptr %c, i64 %w.other
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}
