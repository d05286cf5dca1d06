; If a program fills constant memory, the params are in global memory; the runtime links with these, too. A module
; without functions still has params and a table.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -mcpu=sm_80 %t.ll -o %t.ptx
; RUN: %cuda/bin/ptxas -arch=sm_80 %t.ptx -o %t.cubin
; RUN: sed '/^define/,$d; s/65480/65360/' %s | %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S \
; RUN:   | FileCheck %s --check-prefix=FITS

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@big = addrspace(4) constant [65480 x i8] zeroinitializer, align 4
@llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(4) @big to ptr)], section "llvm.metadata"

; CHECK: @__gasan_params = addrspace(1) externally_initialized global
; CHECK: load i64, ptr addrspace(1) @__gasan_params
; CHECK-NOT: ptr addrspace(4) @__gasan_params
; FITS: @__gasan_params = addrspace(4) externally_initialized global
; FITS: @__gasan_sites = addrspace(1) constant [73 x i8] c"GSIT{{.*}}", align 8

define ptx_kernel void @f(ptr %p) "gasan-sanitize" {
  store i32 0, ptr %p, align 1
  store i32 0, ptr %p, align 4
  ret void
}
