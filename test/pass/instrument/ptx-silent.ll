; Inline PTX without accesses to global memory gets no check, and is not counted as an unchecked access.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll --implicit-check-not=__gasan_report --implicit-check-not=__gasan_check_range
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES \
; RUN:   --implicit-check-not="without a check"

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = addrspace(3) global [16 x i32] undef
@variable = addrspace(1) global [16 x i32] zeroinitializer

; SITES: table version {{[0-9]+}} scale 7: 0 sites

; CHECK-LABEL: define void @spaces(
define void @spaces(i32 %s, i64 %l, i32 %v) "gasan-sanitize" {
  call i32 asm sideeffect "ld.shared.u32 $0, [$1];", "=r,r"(i32 %s)
  call i32 asm sideeffect "ld.volatile.shared::cta.u32 $0, [$1];", "=r,r"(i32 %s)
  call i32 asm sideeffect "ld.local.u32 $0, [$1];", "=r,l"(i64 %l)
  call i32 asm sideeffect "ld.const.u32 $0, [$1];", "=r,l"(i64 %l)
  call i32 asm sideeffect "ld.param.u32 $0, [x];", "=r"()
  call void asm sideeffect "st.shared::cluster.u32 [$0], $1;", "r,r"(i32 %s, i32 %v)
  call i32 asm sideeffect "atom.shared.cas.b32 $0, [$1], $2, $2;", "=r,r,r"(i32 %s, i32 %v)
  call void asm sideeffect "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [$0], $1, [$0];", "r,r"(i32 %s, i32 %v)
  call void asm sideeffect "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [$0], $1, [$0];", "r,r"(i32 %s, i32 %v)
  call void asm sideeffect "st.bulk.weak.shared::cta [$0], 64, 0;", "l"(i64 %l)
  call void asm sideeffect "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$0], [$1], 64, [$0];", "r,r"(i32 %s, i32 %v)
  ret void
}

; CHECK-LABEL: define void @no_access(
define void @no_access(ptr %p, i32 %s, i32 %v) "gasan-sanitize" {
  call void asm sideeffect "", "~{memory}"()
  call void asm sideeffect "prefetch.global.L2 [$0];", "l"(ptr %p)
  call void asm sideeffect "prefetchu.L1 [$0];", "l"(ptr %p)
  call void asm sideeffect "applypriority.global.L2::evict_normal [$0], 128;", "l"(ptr %p)
  call void asm sideeffect "cp.async.bulk.prefetch.L2.global [$0], 64;", "l"(ptr %p)
  call void asm sideeffect "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [$0, {$1}];", "l,r"(ptr %p, i32 %v)
  call void asm sideeffect "cp.async.commit_group; cp.async.wait_group 0; cp.async.bulk.wait_group.read 0;", ""()
  call void asm sideeffect "cp.async.mbarrier.arrive.shared::cta.b64 [$0];", "r"(i32 %s)
  call void asm sideeffect "fence.acq_rel.gpu; membar.gl; bar.sync 0;", "~{memory}"()
  call i32 asm "mov.u32 $0, %laneid;", "=r"()
  call i32 asm "{ .reg .pred q; isspacep.global q, $1; selp.u32 $0, 1, 0, q; }", "=r,l"(ptr %p)
  ; only in comments
  call void asm sideeffect "// ld.global.u32 %r, [$0];\0A /* st.global.u32 [$0], 0; */ membar.gl;", "l"(ptr %p)
  ret void
}

; CHECK-LABEL: define void @known_not_to_be_the_pool(
define void @known_not_to_be_the_pool(i32 %v) "gasan-sanitize" {
  %local = alloca i32
  call i32 asm sideeffect "ld.u32 $0, [$1];", "=r,l"(ptr %local)
  call i32 asm sideeffect "ld.u32 $0, [$1+4];", "=r,l"(ptr addrspacecast (ptr addrspace(3) @shared to ptr))
  call i32 asm sideeffect "ld.u32 $0, [$1+60];", "=r,l"(ptr addrspacecast (ptr addrspace(1) @variable to ptr))
  ret void
}

; Its guard is false, its size is zero.
; CHECK-LABEL: define void @never(
define void @never(ptr %p, i32 %s) "gasan-sanitize" {
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4, 0;", "r,l"(i32 %s, ptr %p)
  ret void
}

; CHECK-LABEL: define void @exempt(
define void @exempt(ptr %p) {
  call void asm sideeffect "st.global.u32 [$0], 0;", "l"(ptr %p)
  ret void
}

; CHECK-LABEL: define void @marked(
define void @marked(ptr %p) "gasan-sanitize" {
  call void asm sideeffect "st.global.u32 [$0], 0;", "l"(ptr %p), !nosanitize !0
  ret void
}

!0 = !{}
