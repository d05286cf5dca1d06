; Copies to shared memory whose number of bytes is 16 or 0: a condition decides, which bounds the address.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [256 x i128] undef, align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)

; CHECK-LABEL: kernel intrinsic: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if from + (u64((((blockIdx.x * 256) + threadIdx.x) where <u n)) * 16), 16 bytes, is in bounds
; CHECK-NEXT: proven at launch if shared variable of 4096 bytes + (u64(threadIdx.x) * 16), 16 bytes, is in bounds
define ptx_kernel void @intrinsic(ptr addrspace(1) %from, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = mul i32 %b, 256
  %i = add i32 %blocks, %t
  %in = icmp ult i32 %i, %n
  %size = select i1 %in, i32 16, i32 0
  %wide = zext i32 %i to i64
  %p = getelementptr i128, ptr addrspace(1) %from, i64 %wide
  %own = zext i32 %t to i64
  %to = getelementptr i128, ptr addrspace(3) @tile, i64 %own
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %to, ptr addrspace(1) %p, i32 %size)
  ret void
}

; In inline PTX, with two conditions, one of which is the other way around.
; CHECK-LABEL: kernel asm: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if from + (u64(((threadIdx.x where >=u 16) where <u n)) * 16), 16 bytes, is in bounds
; CHECK-NEXT: proven at launch if shared variable of 4096 bytes + (u64(threadIdx.x) * 16), 16 bytes, is in bounds
define ptx_kernel void @asm(ptr addrspace(1) %from, i32 %n) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %i, %n
  %skipped = icmp ult i32 %i, 16
  %most = select i1 %in, i32 16, i32 0
  %size = select i1 %skipped, i32 0, i32 %most
  %wide = zext i32 %i to i64
  %p = getelementptr i128, ptr addrspace(1) %from, i64 %wide
  %to = getelementptr i128, ptr addrspace(3) @tile, i64 %wide
  %number = ptrtoint ptr addrspace(3) %to to i64
  %short = trunc i64 %number to i32
  call void asm sideeffect "cp.async.cg.shared.global.L2::128B [$0], [$1], 16, $2;", "r,l,r"(i32 %short, ptr addrspace(1) %p, i32 %size)
  ret void
}

; The condition is a bit.
; CHECK-LABEL: kernel bit: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if from + (u64(threadIdx.x) * 16), 16 bytes, is in bounds
define ptx_kernel void @bit(ptr addrspace(1) %from, i32 %bits) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %moved = shl i32 %bits, 3
  %size = and i32 %moved, 16
  %wide = zext i32 %i to i64
  %p = getelementptr i128, ptr addrspace(1) %from, i64 %wide
  %to = getelementptr i128, ptr addrspace(3) @tile, i64 %wide
  %number = ptrtoint ptr addrspace(3) %to to i64
  %short = trunc i64 %number to i32
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r"(i32 %short, ptr addrspace(1) %p, i32 %size)
  ret void
}

; Any other number of bytes is known at run time only.
; CHECK-LABEL: kernel other: 1 claims, 1 checks in all variants
; CHECK-NEXT: checked: the access's size is known at run time only
define ptx_kernel void @other(ptr addrspace(1) %from, i32 %n) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = icmp ult i32 %i, %n
  %size = select i1 %in, i32 16, i32 %n
  %wide = zext i32 %i to i64
  %p = getelementptr i128, ptr addrspace(1) %from, i64 %wide
  %to = getelementptr i128, ptr addrspace(3) @tile, i64 %wide
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %to, ptr addrspace(1) %p, i32 %size)
  ret void
}

; A size that is a constant in another form, under a guard of the copy itself.
; CHECK-LABEL: kernel constant: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if from + 0, 16 bytes, is in bounds
define ptx_kernel void @constant(ptr addrspace(1) %from, i32 %wanted) sanitize_address {
  %number = ptrtoint ptr addrspace(3) @tile to i64
  %short = trunc i64 %number to i32
  %size = shl i32 1, 4
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $3, 0; @p cp.async.cg.shared.global [$0], [$1], 16, $2; }", "r,l,r,r"(i32 %short, ptr addrspace(1) %from, i32 %size, i32 %wanted)
  ret void
}

; All bits may leave the number in the shift.
; CHECK-LABEL: kernel narrow: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: the access's size is known at run time only
define ptx_kernel void @narrow(ptr addrspace(1) %from, i1 %in) sanitize_address {
  %size = select i1 %in, i8 16, i8 0
  %moved = shl i8 %size, 12
  %wide = zext i8 %moved to i32
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) @tile, ptr addrspace(1) %from, i32 %wide)
  ret void
}

; The highest bit leaves the number.
; CHECK-LABEL: kernel wraps: 0 claims, 1 checks in all variants
; CHECK-NEXT: checked: the access's size is known at run time only
define ptx_kernel void @wraps(ptr addrspace(1) %from, i1 %in) sanitize_address {
  %size = select i1 %in, i8 16, i8 0
  %moved = shl i8 %size, 4
  %wide = zext i8 %moved to i32
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) @tile, ptr addrspace(1) %from, i32 %wide)
  ret void
}
