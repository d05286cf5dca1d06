; The start of the last tile of rows, and an element of the tile: both starts cancel out if the element is the last one.
; The rule applies to code from PTX.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.smin.i32(i32, i32)

; CHECK-LABEL: kernel tile: 1 claims, 0 checks in all variants
; CHECK-NEXT: where <= {{.*}}s64(length) * 256
define ptx_kernel void @tile(ptr %a, i32 %length) sanitize_address "gasan-lifted" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %block, 32
  %left = sub i32 %length, %start
  %count = call i32 @llvm.smin.i32(i32 %left, i32 32)
  %end = shl i32 %count, 6
  %inside = icmp slt i32 %t, %end
  br i1 %inside, label %then, label %done
then:
  %wide = zext i32 %start to i64
  %row = shl i64 %wide, 8
  %p = getelementptr i8, ptr %a, i64 %row
  %w = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}

; The tile's start is another one than that of the test.
; CHECK-LABEL: kernel other:
; CHECK-NOT: s64(length) * 256
define ptx_kernel void @other(ptr %a, i32 %length) sanitize_address "gasan-lifted" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %block, 32
  %next = mul i32 %block, 33
  %left = sub i32 %length, %next
  %count = call i32 @llvm.smin.i32(i32 %left, i32 32)
  %end = shl i32 %count, 6
  %inside = icmp slt i32 %t, %end
  br i1 %inside, label %then, label %done
then:
  %wide = zext i32 %start to i64
  %row = shl i64 %wide, 8
  %p = getelementptr i8, ptr %a, i64 %row
  %w = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}
