; The params are in constant memory if a kernel looks bounds up in proven launches, or if the program has constants of
; its own. Otherwise they are in global memory, because modules with constant memory launch more slowly.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -mcpu=sm_90 %t.ll -o %t.ptx
; RUN: %cuda/bin/ptxas -arch=sm_90 %t.ptx -o %t.cubin
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=CONSTANT
; RUN: sed 's/i32 %%i, ptr %%to/i32 %%i, ptr %%other/' %s | %opt_gasan -gasan-mode=bst -gasan-launch-proof=on \
; RUN:   -passes=gasan-instrument,verify -S | FileCheck %s --check-prefix=CONSTANT
; RUN: sed 's/^;ITS-OWN//' %s | %opt_gasan -gasan-mode=bst -gasan-launch-proof=on \
; RUN:   -passes=gasan-instrument,verify -S | FileCheck %s --check-prefix=CONSTANT

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

;ITS-OWN@own = addrspace(4) externally_initialized global i32 0

; CHECK: @llvm.compiler.used = {{.*}}@__gasan_params
; CHECK: @__gasan_params = addrspace(1) externally_initialized global
; CHECK: load {{.*}}(ptr addrspace(1) @__gasan_params
; CHECK-NOT: addrspace(4)
; CONSTANT: @__gasan_params = addrspace(4) externally_initialized global

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @set(ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %i to i64
  %other = load ptr, ptr %to, align 8
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 %i, ptr %p, align 4
  store i32 %i, ptr %to, align 4
  ret void
}
