; Tests of a number without its lowest bits. LLVM tests x < 1 << n as x >> n == 0.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o /dev/null 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.bitreverse.i32(i32)

; CHECK-LABEL: kernel below: 1 claims, 0 checks in all variants
; CHECK: proven at launch if to + (u64((((d - (threadIdx.x where {{.*}} >>u n) where == 0) << n)) where <=u
; CHECK-SAME: >>u n) where == 0) << n) + ((1 << n) - 1))
define ptx_kernel void @below(ptr %to, i32 %d, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sub i32 %d, %t
  %above = lshr i32 %i, %n
  %below = icmp eq i32 %above, 0
  br i1 %below, label %then, label %exit
then:
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  br label %exit
exit:
  ret void
}

; The loop's end.
; CHECK-LABEL: kernel loop: 1 claims, 0 checks in all variants
; CHECK: proven at launch
define ptx_kernel void @loop(ptr %to, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %step = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %next = add i32 %i, %step
  %above = lshr i32 %next, %n
  %more = icmp eq i32 %above, 0
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; A bound of the groups bounds their members. A signed shift, too.
; CHECK-LABEL: kernel groups: 1 claims, 0 checks in all variants
; CHECK: proven at launch if to + (s64(((((d - {{.*}} where >= ((((d - threadIdx.x) >> 5) where <u n) << 5)) where <=
define ptx_kernel void @groups(ptr %to, i32 %d, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sub i32 %d, %t
  %group = ashr i32 %i, 5
  %inside = icmp ult i32 %group, %n
  br i1 %inside, label %then, label %exit
then:
  %first = and i32 %i, -32
  %w = sext i32 %first to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  br label %exit
exit:
  ret void
}

; The upper bits of any number; a lower bound says nothing of an index.
; CHECK-LABEL: kernel upper: 1 claims, 1 checks in all variants
; CHECK: proven at launch if to + (u64((<call> >>u (32 - n))) * 4), 4 bytes, is in bounds
; CHECK: checked: nothing bounds
define ptx_kernel void @upper(ptr %to, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %r = call i32 @llvm.bitreverse.i32(i32 %t)
  %rest = sub i32 32, %n
  %i = lshr i32 %r, %rest
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %above = icmp ugt i32 %i, 3
  br i1 %above, label %then, label %exit
then:
  %v = zext i32 %r to i64
  %q = getelementptr i32, ptr %to, i64 %v
  store i32 1, ptr %q, align 4
  br label %exit
exit:
  ret void
}

; An exact shift promises that it drops zeros only, which is not believed.
; CHECK-LABEL: kernel promised: 1 claims, 1 checks in all variants
; CHECK: proven at launch if d + 0
; CHECK: checked: nothing bounds to + (u64(<load>) * 4)
define ptx_kernel void @promised(ptr %to, ptr %d, i32 %n) sanitize_address {
entry:
  %i = load i32, ptr %d, align 4
  %above = lshr exact i32 %i, %n
  %below = icmp eq i32 %above, 0
  br i1 %below, label %then, label %exit
then:
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  br label %exit
exit:
  ret void
}
