; A loop that halves a distance: each round is evaluated by itself, with the distance that it has then. In a loop whose
; values go on into an outer loop, a round is not known by its number.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o /dev/null 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@numbers = internal addrspace(3) global [512 x i32] undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: kernel closed: 1 claims, 0 checks in all variants
; CHECK: proven at launch if shared variable of 2048 bytes + {{.*}} * 4), round by round, 4 bytes, is in bounds
define ptx_kernel void @closed(i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %s = phi i32 [ %n, %entry ], [ %next, %loop ]
  %i = add i32 %t, %s
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @numbers, i64 %w
  store i32 1, ptr addrspace(3) %p, align 4
  %next = lshr i32 %s, 1
  %more = icmp ugt i32 %s, 1
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; The optimiser divides by a power of two with a shift by the number of its zeros.
; CHECK-LABEL: kernel divided: 1 claims, 0 checks in all variants
; CHECK: proven at launch if shared variable of 2048 bytes + {{.*}} where == (512 /u (n & (0 - n)))
define ptx_kernel void @divided(i32 %n) sanitize_address {
  %zeros = call i32 @llvm.cttz.i32(i32 %n, i1 true)
  %quotient = lshr i32 512, %zeros
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, %quotient
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @numbers, i64 %w
  store i32 1, ptr addrspace(3) %p, align 4
  ret void
}

declare i32 @llvm.cttz.i32(i32, i1)

; CHECK-LABEL: kernel open:
; CHECK-NOT: round by round
; CHECK-LABEL: kernel last:
define ptx_kernel void @open(i32 %n, i32 %rounds) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %first = phi i32 [ %n, %entry ], [ %s, %after ]
  %o = phi i32 [ 0, %entry ], [ %o.next, %after ]
  br label %loop
loop:
  %s = phi i32 [ %n, %outer ], [ %next, %loop ]
  %i = add i32 %t, %first
  %j = add i32 %i, %s
  %w = zext i32 %j to i64
  %p = getelementptr i32, ptr addrspace(3) @numbers, i64 %w
  store i32 1, ptr addrspace(3) %p, align 4
  %next = lshr i32 %s, 1
  %more = icmp ugt i32 %s, 1
  br i1 %more, label %loop, label %after
after:
  %o.next = add i32 %o, 1
  %again = icmp ult i32 %o.next, %rounds
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

define ptx_kernel void @last(ptr %p) sanitize_address {
  store i32 1, ptr %p, align 4
  ret void
}
