; Shared memory in inline PTX: an address of 32 bits belongs to the variable that it was computed from.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=SHADOW
; SHADOW-COUNT-1: call void @__gasan_report
; SHADOW-NOT: call void @__gasan_report

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK-LABEL: define void @store(
; CHECK-NOT: @__gasan_bounds
; CHECK: icmp uge i64 %{{.*}}, 253
; All steps are multiples of 4, so the address is aligned.
; CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 {{.*}}, i64 256, i32 1)
; CHECK: call void asm
define void @store(i64 %i) "gasan-sanitize" {
  %a = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 %i
  %shared = addrspacecast ptr %a to ptr addrspace(3)
  %wide = ptrtoint ptr addrspace(3) %shared to i64
  %narrow = trunc i64 %wide to i32
  call void asm sideeffect "st.shared.u32 [$0+4], $1;", "r,r"(i32 %narrow, i32 5)
  ret void
}

; CHECK-LABEL: define void @copy(
; CHECK: sub i64 %{{.*}}, %gasan.base
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4, i32 1, i64 %gasan.base, i64 %gasan.size,
; CHECK-SAME: {{^}} i32 %gasan.object, i32 4)
; CHECK: sub i64 %{{.*}}, ptrtoint (ptr addrspace(3) @tile to i64)
; CHECK: call void @__gasan_report_bounds{{[_a-z]*}}(i64 %{{.*}}, i64 4, i32 2,
; CHECK: call void @llvm.nvvm.cp.async
define void @copy(ptr addrspace(1) %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i32, ptr addrspace(3) @tile, i64 %i
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %a, ptr addrspace(1) %p)
  ret void
}

declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
