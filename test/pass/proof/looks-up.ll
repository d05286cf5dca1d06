; Kernels that look no bounds up in proven launches: the host need not upload its tables before them.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-hidden-arguments=false -gasan-print-proofs \
; RUN:   -passes=gasan-instrument,verify -disable-output %s 2>&1 | FileCheck %s --check-prefix=ASKS
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-late-uploads=false -gasan-print-proofs \
; RUN:   -passes=gasan-instrument,verify -disable-output %s 2>&1 | FileCheck %s --check-prefix=OFF
; OFF-NOT: looks no bounds up

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @elsewhere()
declare void @free(ptr)

; CHECK: kernel claimed looks no bounds up
; ASKS: kernel claimed looks no bounds up
define ptx_kernel void @claimed(ptr %a) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %a, i32 %t
  store i32 1, ptr %p
  ret void
}

; A remaining check with bounds that the host passes.
; CHECK: kernel told looks no bounds up
; ASKS-NOT: kernel told looks no bounds up
define ptx_kernel void @told(ptr %a, ptr %indices) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %indices, i32 %t
  %i = load i32, ptr %p
  %q = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %q
  ret void
}

; CHECK-NOT: kernel {{from_memory|calls|calls_deep|calls_pointer|unknown|frees|assembly}} looks no bounds up
; ASKS-NOT: kernel {{from_memory|calls|calls_deep|calls_pointer|unknown|frees|assembly}} looks no bounds up
define ptx_kernel void @from_memory(ptr %a) sanitize_address {
  %p = load ptr, ptr %a
  store i32 1, ptr %p
  ret void
}

define internal void @follow(ptr %a) noinline sanitize_address {
  %p = load ptr, ptr %a
  store i32 1, ptr %p
  ret void
}

define internal void @between(ptr %a) noinline sanitize_address {
  call void @follow(ptr %a)
  ret void
}

define ptx_kernel void @calls(ptr %a) sanitize_address {
  store i32 1, ptr %a
  call void @follow(ptr %a)
  ret void
}

define ptx_kernel void @calls_deep(ptr %a) sanitize_address {
  store i32 1, ptr %a
  call void @between(ptr %a)
  ret void
}

define ptx_kernel void @calls_pointer(ptr %a, ptr %f) sanitize_address {
  store i32 1, ptr %a
  call void %f()
  ret void
}

define ptx_kernel void @unknown(ptr %a) sanitize_address {
  store i32 1, ptr %a
  call void @elsewhere()
  ret void
}

define ptx_kernel void @frees(ptr %a, ptr %p) sanitize_address {
  store i32 1, ptr %a
  call void @free(ptr %p)
  ret void
}

define ptx_kernel void @assembly(ptr %a) sanitize_address {
  store i32 1, ptr %a
  call void asm sideeffect "call elsewhere;", ""()
  ret void
}

define internal void @harmless(ptr %a) noinline sanitize_address {
  ret void
}

; CHECK: kernel calls_harmless looks no bounds up
define ptx_kernel void @calls_harmless(ptr %a) sanitize_address {
  store i32 1, ptr %a
  call void @harmless(ptr %a)
  call void asm sideeffect "bar.sync 0;", ""()
  ret void
}
