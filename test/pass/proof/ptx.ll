; Indices that inline PTX computes.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck --check-prefix=CODE --input-file=%t.ll %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; cub's digit of a key: the number of its bits is known at the launch. The proof leaves no instruction behind.
; CHECK-LABEL: kernel digit: 1 claims, 0 checks in all variants
; CHECK: proven at launch if to + (u64(((<call> >>u 3) & low32(((1 << u64(minu(bits, 32))) - 1)))) * 4), 4 bytes
; CODE-LABEL: define ptx_kernel void @digit(
; CODE-NOT: umin
; CODE: asm "shr.b32
; CODE-NOT: umin
; CODE: asm "bmsk.clamp.b32
; CODE-NOT: umin
; CODE: ret void
define ptx_kernel void @digit(ptr %to, i32 %bits) sanitize_address {
  %unknown = call i32 asm "mov.u32 $0, %clock;", "=r"()
  %shifted = call i32 asm "shr.b32 $0, $1, $2;", "=r,r,r"(i32 %unknown, i32 3)
  %mask = call i32 asm "bmsk.clamp.b32 $0, $1, $2;", "=r,r,r"(i32 0, i32 %bits)
  %d = and i32 %shifted, %mask
  %w = zext i32 %d to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  ret void
}

; The same digit by one instruction.
; CHECK-LABEL: kernel field: 1 claims, 0 checks in all variants
; CHECK: proven at launch if to + (u64(((<call> >>u 3) & low32(((1 << u64(minu((bits & 255), 32))) - 1)))) * 4), 4
; CHECK-SAME: bytes
define ptx_kernel void @field(ptr %to, i32 %bits) sanitize_address {
  %unknown = call i32 asm "mov.u32 $0, %clock;", "=r"()
  %d = call i32 asm "bfe.u32 $0, $1, $2, $3;", "=r,r,r,r"(i32 %unknown, i32 3, i32 %bits)
  %w = zext i32 %d to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  ret void
}

; A signed field may be negative; it is not followed. A jump may skip a statement.
; CHECK-LABEL: kernel unknown: 0 claims, 2 checks in all variants
define ptx_kernel void @unknown(ptr %to, i32 %bits) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = call i32 asm "bfe.s32 $0, $1, $2, $3;", "=r,r,r,r"(i32 %t, i32 3, i32 %bits)
  %w = zext i32 %d to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %e = call i32 asm "{ .reg .pred p; setp.eq.s32 p, $1, 0; mov.u32 $0, 1; @p bra away; mov.u32 $0, 5; away: }",
    "=&r,r"(i32 %t)
  %v = zext i32 %e to i64
  %q = getelementptr i32, ptr %to, i64 %v
  store i32 1, ptr %q, align 4
  ret void
}
