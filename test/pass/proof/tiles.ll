; A row of a matrix tile is an access of constant size by the lanes that have a row, so it has a claim.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK: gasan: kernel load: 1 claims, 0 checks in all variants
; CHECK: proven at launch if a + {{.*}}(lane where <u 16){{.*}}, 32 bytes, is in bounds
define ptx_kernel void @load(ptr %a, i32 %stride) sanitize_address {
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext i32 %block to i64
  %p = getelementptr half, ptr %a, i64 %i
  %x = call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr %p, i32 %stride)
  ret void
}

; As text.
; CHECK: gasan: kernel text: 1 claims, 0 checks in all variants
; CHECK: 32 bytes, is in bounds
define ptx_kernel void @text(ptr %a, i32 %r, i32 %stride) sanitize_address {
  call void asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {$1,$1,$1,$1,$1,$1,$1,$1}, [$0], $2;", "l,r,r"(ptr %a, i32 %r, i32 %stride)
  ret void
}
