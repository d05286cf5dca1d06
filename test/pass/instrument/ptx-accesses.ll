; Loads, stores, atomics and copies in inline PTX: kind and size of each; the text is unchanged.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; SITES: table version {{[0-9]+}} scale 7: 24 sites, 0 kernels
; SITES-NOT: without a check

; CHECK-LABEL: @ld_global(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 0)
; SITES: site 0 READ 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.global.u32 $0, [$1];"
define i32 @ld_global(i64 %p) "gasan-sanitize" {
  %r = call i32 asm sideeffect "ld.global.u32 $0, [$1];", "=r,l"(i64 %p)
  ret i32 %r
}

; CHECK-LABEL: @ld_pointer_operand(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 1)
; SITES: site 1 READ 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {$0, $1, $2, $3}, [$4];"
define { float, float, float, float } @ld_pointer_operand(ptr %p) "gasan-sanitize" {
  %r = call { float, float, float, float } asm sideeffect "ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {$0, $1, $2, $3}, [$4];", "=f,=f,=f,=f,l"(ptr %p)
  ret { float, float, float, float } %r
}

; CHECK-LABEL: @ld_generic(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 1, i32 2)
; SITES: site 2 READ 1 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.u8 $0, [$1+3];"
define i16 @ld_generic(ptr %p) "gasan-sanitize" {
  %r = call i16 asm sideeffect "ld.u8 $0, [$1+3];", "=h,l"(ptr %p)
  ret i16 %r
}

; CHECK-LABEL: @ld_volatile(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 3)
; SITES: site 3 READ 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.volatile.global.v2.u64 {$0, $1}, [$2+-16];"
define { i64, i64 } @ld_volatile(ptr %p) "gasan-sanitize" {
  %r = call { i64, i64 } asm sideeffect "ld.volatile.global.v2.u64 {$0, $1}, [$2+-16];", "=l,=l,l"(ptr %p)
  ret { i64, i64 } %r
}

; CHECK-LABEL: @ld_acquire(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 2, i32 4)
; SITES: site 4 READ 2 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.acquire.gpu.global.s16 $0, [$1];"
define i16 @ld_acquire(ptr %p) "gasan-sanitize" {
  %r = call i16 asm sideeffect "ld.acquire.gpu.global.s16 $0, [$1];", "=h,l,~{memory}"(ptr %p)
  ret i16 %r
}

; CHECK-LABEL: @ld_relaxed_mmio(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 5)
; SITES: site 5 READ 8 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.mmio.relaxed.sys.global.b64 $0, [$1];"
define i64 @ld_relaxed_mmio(ptr %p) "gasan-sanitize" {
  %r = call i64 asm sideeffect "ld.mmio.relaxed.sys.global.b64 $0, [$1];", "=l,l,~{memory}"(ptr %p)
  ret i64 %r
}

; CHECK-LABEL: @ld_weak_hint(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 6)
; SITES: site 6 READ 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.weak.global.L1::evict_last.L2::cache_hint.L2::64B.b32 $0, [$1], $2;"
define i32 @ld_weak_hint(ptr %p, i64 %policy) "gasan-sanitize" {
  %r = call i32 asm sideeffect "ld.weak.global.L1::evict_last.L2::cache_hint.L2::64B.b32 $0, [$1], $2;", "=r,l,l"(ptr %p, i64 %policy)
  ret i32 %r
}

; CHECK-LABEL: @ld_v8(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 32, i32 7)
; SITES: site 7 READ 32 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.global.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];"
define { i32, i32, i32, i32, i32, i32, i32, i32 } @ld_v8(ptr %p) "gasan-sanitize" {
  %r = call { i32, i32, i32, i32, i32, i32, i32, i32 } asm sideeffect "ld.global.v8.b32 {$0, $1, $2, $3, $4, $5, $6, $7}, [$8];", "=r,=r,=r,=r,=r,=r,=r,=r,l"(ptr %p)
  ret { i32, i32, i32, i32, i32, i32, i32, i32 } %r
}

; CHECK-LABEL: @ldu(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 8)
; SITES: site 8 READ 8 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ldu.global.f64 $0, [$1];"
define double @ldu(ptr %p) "gasan-sanitize" {
  %r = call double asm sideeffect "ldu.global.f64 $0, [$1];", "=d,l"(ptr %p)
  ret double %r
}

; CHECK-LABEL: @ld_unified(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 9)
; SITES: site 9 READ 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "ld.global.unified.f32 $0, [$1];"
define float @ld_unified(ptr %p) "gasan-sanitize" {
  %r = call float asm sideeffect "ld.global.unified.f32 $0, [$1];", "=f,l"(ptr %p)
  ret float %r
}

; CHECK-LABEL: @st_cs(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 10)
; SITES: site 10 WRITE 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "st.global.cs.u32 [$0], $1;"
define void @st_cs(ptr %p, i32 %v) "gasan-sanitize" {
  call void asm sideeffect "st.global.cs.u32 [$0], $1;", "l,r,~{memory}"(ptr %p, i32 %v)
  ret void
}

; CHECK-LABEL: @st_release(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 11)
; SITES: site 11 WRITE 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "st.release.sys.global.v4.b32 [$0], {$1, $1, $1, $1};"
define void @st_release(ptr %p, i32 %v) "gasan-sanitize" {
  call void asm sideeffect "st.release.sys.global.v4.b32 [$0], {$1, $1, $1, $1};", "l,r,~{memory}"(ptr %p, i32 %v)
  ret void
}

; CHECK-LABEL: @st_b128(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 12)
; SITES: site 12 WRITE 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "st.b128 [$0], $1;"
define void @st_b128(ptr %p, i128 %v) "gasan-sanitize" {
  call void asm sideeffect "st.b128 [$0], $1;", "l,q,~{memory}"(ptr %p, i128 %v)
  ret void
}

; CHECK-LABEL: @atom_add(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 13)
; SITES: site 13 ATOMIC 8 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "atom.add.relaxed.gpu.global.u64 $0, [$1], $2;"
define i64 @atom_add(ptr %p, i64 %v) "gasan-sanitize" {
  %r = call i64 asm sideeffect "atom.add.relaxed.gpu.global.u64 $0, [$1], $2;", "=l,l,l,~{memory}"(ptr %p, i64 %v)
  ret i64 %r
}

; CHECK-LABEL: @atom_cas(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 14)
; SITES: site 14 ATOMIC 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "atom.global.acq_rel.sys.cas.b128 $0, [$1], $2, $2;"
define i128 @atom_cas(ptr %p, i128 %v) "gasan-sanitize" {
  %r = call i128 asm sideeffect "atom.global.acq_rel.sys.cas.b128 $0, [$1], $2, $2;", "=q,l,q,~{memory}"(ptr %p, i128 %v)
  ret i128 %r
}

; CHECK-LABEL: @red_half(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 15)
; SITES: site 15 ATOMIC 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "red.global.add.noftz.f16x2 [$0], $1;"
define void @red_half(ptr %p, i32 %v) "gasan-sanitize" {
  call void asm sideeffect "red.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"(ptr %p, i32 %v)
  ret void
}

; CHECK-LABEL: @red_vector(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 16)
; SITES: site 16 ATOMIC 8 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "red.relaxed.gpu.global.add.L2::cache_hint.v2.f32 [$0], {$1, $1}, $2;"
define void @red_vector(ptr %p, float %v, i64 %policy) "gasan-sanitize" {
  call void asm sideeffect "red.relaxed.gpu.global.add.L2::cache_hint.v2.f32 [$0], {$1, $1}, $2;", "l,f,l,~{memory}"(ptr %p, float %v, i64 %policy)
  ret void
}

; CHECK-LABEL: @cp_async(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 17)
; SITES: site 17 READ 8 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.async.ca.shared::cta.global.L2::128B [$0], [$1], 8;"
define void @cp_async(i32 %s, ptr %p) "gasan-sanitize" {
  call void asm sideeffect "cp.async.ca.shared::cta.global.L2::128B [$0], [$1], 8;", "r,l,~{memory}"(i32 %s, ptr %p)
  ret void
}

; CHECK-LABEL: @cp_async_hint(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 18)
; SITES: site 18 READ 16 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;"
define void @cp_async_hint(i32 %s, ptr %p, i64 %policy) "gasan-sanitize" {
  call void asm sideeffect "cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "r,l,l,~{memory}"(i32 %s, ptr %p, i64 %policy)
  ret void
}

; CHECK-LABEL: @cp_async_constant_size(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 19)
; SITES: site 19 READ 4 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.async.ca.shared.global [$0], [$1], $2, $3;"
define void @cp_async_constant_size(i32 %s, ptr %p) "gasan-sanitize" {
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], $2, $3;", "r,l,n,r,~{memory}"(i32 %s, ptr %p, i32 4, i32 4)
  ret void
}

; CHECK-LABEL: @bulk_load(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 64, i32 20)
; SITES: site 20 READ 64 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], 64, [$2];"
define void @bulk_load(i32 %s, ptr %p, i32 %bar) "gasan-sanitize" {
  call void asm sideeffect "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], 64, [$2];", "r,l,r,~{memory}"(i32 %s, ptr %p, i32 %bar)
  ret void
}

; CHECK-LABEL: @bulk_store(
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 48, i32 21)
; SITES: site 21 WRITE 48 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], 48;"
define void @bulk_store(ptr %p, i32 %s) "gasan-sanitize" {
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], 48;", "l,r,~{memory}"(ptr %p, i32 %s)
  ret void
}

; CHECK-LABEL: @bulk_reduce(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 32, i32 22)
; SITES: site 22 ATOMIC 32 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [$0], [$1], 32;"
define void @bulk_reduce(ptr %p, i32 %s) "gasan-sanitize" {
  call void asm sideeffect "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [$0], [$1], 32;", "l,r,~{memory}"(ptr %p, i32 %s)
  ret void
}

; CHECK-LABEL: @discard(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 128, i32 23)
; SITES: site 23 WRITE 128 from
; CHECK-NOT: __gasan_
; CHECK: asm sideeffect "discard.global.L2 [$0], 128;"
define void @discard(ptr %p) "gasan-sanitize" {
  call void asm sideeffect "discard.global.L2 [$0], 128;", "l,~{memory}"(ptr %p)
  ret void
}
