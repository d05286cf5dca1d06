; Copies whose range is in a tensor map or a byte mask are counted; prefetches are not.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll --implicit-check-not="call void @__gasan"
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; SITES: 0 sites
; SITES-NEXT: 3 accesses without a check
; CHECK: define void @copies(
define void @copies(ptr addrspace(3) %s, ptr addrspace(1) %g, ptr %map, i32 %i, i16 %mask) "gasan-sanitize" {
  call void @llvm.nvvm.cp.async.bulk.tensor.s2g.tile.1d(ptr addrspace(3) %s, ptr %map, i32 %i, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.tensor.reduce.add.tile.1d(ptr addrspace(3) %s, ptr %map, i32 %i, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.global.bytemask(ptr addrspace(1) %g, ptr addrspace(3) %s, i32 16, i64 0, i1 false, i16 %mask)
  call void @llvm.nvvm.cp.async.bulk.tensor.prefetch.tile.1d(ptr %map, i32 %i, i64 0, i1 false)
  ret void
}

; CHECK: define void @shared_and_hints(
define void @shared_and_hints(ptr addrspace(3) %s, ptr addrspace(7) %c, ptr addrspace(1) %g) "gasan-sanitize" {
  call void @llvm.nvvm.cp.async.bulk.shared.cta.to.cluster(ptr addrspace(7) %c, ptr addrspace(3) %s, ptr addrspace(3) %s, i32 16)
  call void @llvm.nvvm.prefetch.global.L2(ptr addrspace(1) %g)
  ret void
}
