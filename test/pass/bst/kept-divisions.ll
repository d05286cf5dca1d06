; ptxas divides by a reciprocal, which it computes once before a loop if each round divides. So a division by a number
; that the loop does not change stays before the check that follows, by a use that the code generator does not move.
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-instrument,verify -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: llc -mtriple=nvptx64 -mcpu=sm_90 -mattr=+ptx80 %t.ll -o - | FileCheck --check-prefix=PTX %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @scatter(
; CHECK: %[[REM:.*]] = urem i32 %{{.*}}, %n
; CHECK-NEXT: %[[KEPT:.*]] = call i32 asm sideeffect "mov.b32 $0, $1;", "=r,r"(i32 %[[REM]])
; CHECK: br i1
; CHECK: store i32 %[[KEPT]]
; PTX-LABEL: .entry scatter(
; PTX: rem.u32
; PTX: setp
; PTX: bra
; PTX: st
define ptx_kernel void @scatter(ptr %to, ptr %index, i32 %n, i32 %rounds) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr %index, i32 %i
  %j = load volatile i32, ptr %from, align 4
  %x = mul i32 %i, 40503
  %rem = urem i32 %x, %n
  %p = getelementptr i32, ptr %to, i32 %j
  store i32 %rem, ptr %p, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %rounds
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Not by a constant, nor by a number that the loop changes, nor outside of loops.
; CHECK-LABEL: define ptx_kernel void @others(
; CHECK-NOT: sideeffect "mov.b32
; CHECK: ret void
define ptx_kernel void @others(ptr %to, ptr %index, i32 %n, i32 %rounds) sanitize_address {
entry:
  %k = load volatile i32, ptr %index, align 4
  %first = udiv i32 %k, %n
  %q = getelementptr i32, ptr %to, i32 %k
  store i32 %first, ptr %q, align 4
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %from = getelementptr i32, ptr %index, i32 %i
  %j = load volatile i32, ptr %from, align 4
  %x = udiv i32 %n, %i
  %y = udiv i32 %x, 7
  %p = getelementptr i32, ptr %to, i32 %j
  store i32 %y, ptr %p, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %rounds
  br i1 %again, label %loop, label %end
end:
  ret void
}
