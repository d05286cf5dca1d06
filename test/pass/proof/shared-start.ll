; The alignment of dynamic shared memory: 16 bytes if the kernel has no static shared variable.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x i8], align 1
@flag = internal addrspace(3) global i8 poison, align 1

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @unknown()

define internal void @sets() noinline sanitize_address {
  store i8 1, ptr addrspace(3) @flag, align 1
  ret void
}

; CHECK-LABEL: kernel alone: 1 claims, 0 checks
; CHECK-NEXT: proven at launch if dynamic shared memory + (u64(threadIdx.x) * 16), 16 bytes, is in bounds
define ptx_kernel void @alone() sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr <4 x i32>, ptr addrspace(3) @dynamic, i64 %w
  store <4 x i32> zeroinitializer, ptr addrspace(3) %p, align 16
  ret void
}

; CHECK-LABEL: kernel beside_static: 0 claims, 1 checks
define ptx_kernel void @beside_static() sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i8 1, ptr addrspace(3) @flag, align 1
  %w = zext i32 %t to i64
  %p = getelementptr <4 x i32>, ptr addrspace(3) @dynamic, i64 %w
  store <4 x i32> zeroinitializer, ptr addrspace(3) %p, align 16
  ret void
}

; CHECK-LABEL: kernel calls_static: 0 claims, 1 checks
define ptx_kernel void @calls_static() sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @sets()
  %w = zext i32 %t to i64
  %p = getelementptr <4 x i32>, ptr addrspace(3) @dynamic, i64 %w
  store <4 x i32> zeroinitializer, ptr addrspace(3) %p, align 16
  ret void
}

; CHECK-LABEL: kernel calls_unknown: 0 claims, 1 checks
define ptx_kernel void @calls_unknown() sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  call void @unknown()
  %w = zext i32 %t to i64
  %p = getelementptr <4 x i32>, ptr addrspace(3) @dynamic, i64 %w
  store <4 x i32> zeroinitializer, ptr addrspace(3) %p, align 16
  ret void
}
