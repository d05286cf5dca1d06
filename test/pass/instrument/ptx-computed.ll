; Addresses, sizes and guards that statements of the same asm compute are computed before it; the others are counted.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; SITES: 17 accesses without a check

; CHECK-LABEL: define i32 @cvta(
; CHECK: %[[Q:.*]] = getelementptr i8, ptr %p, i64 8
; CHECK: ptrtoint ptr %[[Q]] to i64
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4,
; CHECK: asm "{ .reg .u64 p;
define i32 @cvta(ptr %p) "gasan-sanitize" {
  %v = call i32 asm "{ .reg .u64 p; cvta.to.global.u64 p, $1;\0A\09 ld.global.u32 $0, [p + 8]; }", "=r,l"(ptr %p)
  ret i32 %v
}

; base + 4 * index, the index widened
; CHECK-LABEL: define i32 @indexed(
; CHECK: %[[INDEX:.*]] = zext i32 %i to i64
; CHECK: %[[OFFSET:.*]] = shl i64 %[[INDEX]], 2
; CHECK: %[[SUM:.*]] = add i64 %p, %[[OFFSET]]
; CHECK: inttoptr i64 %[[SUM]] to ptr
; CHECK: call void @__gasan_report(
define i32 @indexed(i64 %p, i32 %i) "gasan-sanitize" {
  %v = call i32 asm "{ .reg .b64 %a<3>; cvt.u64.u32 %a1, $2; shl.b64 %a1, %a1, 2; add.s64 %a1, $1, %a1; ld.u32 $0, [%a1]; }", "=r,l,r"(i64 %p, i32 %i)
  ret i32 %v
}

; CHECK-LABEL: define i32 @multiplied(
; CHECK: %[[INDEX:.*]] = sext i32 %i to i64
; CHECK: %[[OFFSET:.*]] = mul i64 %[[INDEX]], 12
; CHECK: %[[SUM:.*]] = add i64 %[[OFFSET]], %p
; CHECK: call void @__gasan_report(
define i32 @multiplied(i64 %p, i32 %i) "gasan-sanitize" {
  %v = call i32 asm "{ .reg .u64 a; mad.wide.s32 a, $2, 12, $1; ld.u32 $0, [a]; }", "=r,l,r"(i64 %p, i32 %i)
  ret i32 %v
}

; The halves of an address, and a thread's own index
; CHECK-LABEL: define void @halves(
; CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; CHECK: call void @__gasan_report(
define void @halves(i32 %low, i32 %high) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .u64 a; .reg .u32 t; mov.b64 a, {$0, $1}; mov.u32 t, %tid.x; mad.wide.u32 a, t, 4, a; st.global.u32 [a], 0; }", "r,r"(i32 %low, i32 %high)
  ret void
}

; An operand that is read and written starts with its input, and may be moved on.
; CHECK-LABEL: define i64 @moved(
; CHECK: %[[FIRST:.*]] = inttoptr i64 %p to ptr
; CHECK: %[[SUM:.*]] = add i64 %p, 4
; CHECK: %[[SECOND:.*]] = inttoptr i64 %[[SUM]] to ptr
; CHECK: %[[A:.*]] = ptrtoint ptr %[[FIRST]] to i64
; CHECK: call void @__gasan_report(i64 %[[A]], i64 4,
; CHECK: %[[B:.*]] = ptrtoint ptr %[[SECOND]] to i64
; CHECK: call void @__gasan_report(i64 %[[B]], i64 4,
define i64 @moved(i64 %p) "gasan-sanitize" {
  %v = call i64 asm sideeffect "st.global.u32 [$0], 0; add.u64 $0, $0, 4; st.global.u32 [$0], 0;", "=l,0"(i64 %p)
  ret i64 %v
}

; CHECK-LABEL: define void @guarded(
; CHECK: %[[P:.*]] = icmp ne i32 %c, 0
; CHECK: %[[GUARD:.*]] = freeze i1 %[[P]]
; CHECK: %[[WANTED:.*]] = select i1 %[[GUARD]], i1 %{{.*}}, i1 false
; CHECK: br i1 %[[WANTED]]
; CHECK: call void @__gasan_report(
define void @guarded(ptr %p, i32 %c) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred q; setp.ne.s32 q, $1, 0; @q st.global.u32 [$0], 0; }", "l,r"(ptr %p, i32 %c)
  ret void
}

; CHECK-LABEL: define void @guarded_by_not(
; CHECK: %[[P:.*]] = icmp slt i32 %c, 7
; CHECK: %[[N:.*]] = xor i1 %[[P]], true
; CHECK: freeze i1 %[[N]]
; CHECK: call void @__gasan_report(
define void @guarded_by_not(ptr %p, i32 %c) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred %p1; setp.lt.s32 %p1, $1, 7;\0A\09@!%p1 st.global.u32 [$0], 0; }", "l,r"(ptr %p, i32 %c)
  ret void
}

; Two paths to one register
; CHECK-LABEL: define void @selected(
; CHECK: select i1 %{{.*}}, i64 %a, i64 %b
; CHECK: call void @__gasan_report(
define void @selected(i64 %a, i64 %b, i32 %c) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred q; .reg .u64 p; setp.eq.u32 q, $2, 0; mov.u64 p, $1; @q mov.u64 p, $0; st.global.u32 [p], 0; }", "l,l,r"(i64 %a, i64 %b, i32 %c)
  ret void
}

; CHECK-LABEL: define void @copied_bytes(
; CHECK: %[[SIZE:.*]] = call i32 @llvm.umin.i32(i32 16, i32 %n)
; CHECK: %[[WIDE:.*]] = zext i32 %[[SIZE]] to i64
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 %[[WIDE]],
define void @copied_bytes(i32 %s, ptr %p, i32 %n) "gasan-sanitize" {
  call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16, $2;", "r,l,r"(i32 %s, ptr %p, i32 %n)
  ret void
}

; CHECK-LABEL: define void @copied_unless(
; CHECK: %[[P:.*]] = icmp eq i32 %n, 0
; CHECK: %[[N:.*]] = xor i1 %[[P]], true
; CHECK: freeze i1 %[[N]]
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16,
define void @copied_unless(i32 %s, ptr %p, i32 %n) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred q; setp.eq.u32 q, $2, 0; cp.async.cg.shared.global [$0], [$1], 16, q; }", "r,l,r"(i32 %s, ptr %p, i32 %n)
  ret void
}

; CHECK-LABEL: define void @bulk_size(
; CHECK: zext i32 %n to i64
; CHECK: call void @__gasan_check_range(
define void @bulk_size(ptr %p, i32 %s, i32 %n) "gasan-sanitize" {
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;", "l,r,r"(ptr %p, i32 %s, i32 %n)
  ret void
}

; A name with a dollar sign, an offset that is an operand, a wait before the loop
; CHECK-LABEL: define void @names(
; CHECK: getelementptr i8, ptr %{{.*}}, i64 24
; CHECK: call void @__gasan_report(
define void @names(ptr %p) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .u64 $$p; mov.u64 $$p, $0; st.global.u32 [$$p+$1], 0; }", "l,n"(ptr %p, i32 24)
  ret void
}

; A loop that waits at one address: the first round is like the others.
; CHECK-LABEL: define void @spin(
; CHECK: call void @__gasan_report(
define void @spin(ptr %p) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred q; .reg .u32 v; wait_${:uid}: ld.acquire.gpu.global.u32 v, [$0]; setp.eq.u32 q, v, 0; @q bra wait_${:uid}; }", "l,~{memory}"(ptr %p)
  ret void
}

; Below, nothing is known, or only the loop's first round: no false alarm, but each access is counted.
; CHECK-LABEL: define void @walk(
; CHECK: call void @__gasan_report(
; CHECK-NOT: call void @__gasan_
; CHECK-LABEL: define void @unknown(
define void @walk(i64 %p) "gasan-sanitize" {
  call void asm sideeffect "{ .reg .pred q; .reg .u64 a; mov.u64 a, $0; again: st.global.u32 [a], 0; add.u64 a, a, 4; setp.ne.u64 q, a, 80; @q bra again; }", "l,~{memory}"(i64 %p)
  ret void
}

; CHECK-NOT: call void @__gasan_
; CHECK-LABEL: define void @end(
define void @unknown(ptr %p, i32 %i, i64 %l) "gasan-sanitize" {
  ; the address is loaded, depends on a vote, is a name, is narrow, is a shared window's
  call i32 asm "{ .reg .u64 a; ld.shared.u64 a, [$1]; ld.global.u32 $0, [a]; }", "=r,r"(i32 %i)
  call i32 asm "{ .reg .u32 m; .reg .u64 a; activemask.b32 m; mad.wide.u32 a, m, 4, $1; ld.global.u32 $0, [a]; }", "=r,l"(i64 %l)
  call i32 asm "ld.global.u32 $0, [variable];", "=r"()
  call i32 asm "ld.u32 $0, [$1];", "=r,r"(i32 %i)
  call i32 asm "{ .reg .u64 a; cvta.shared.u64 a, $1; ld.u32 $0, [a]; }", "=r,l"(i64 %l)
  ; whether it happens
  call void asm sideeffect "{ .reg .pred q; elect.sync _|q, 0xffffffff; @q st.global.u32 [$0], 0; }", "l"(ptr %p)
  call void asm sideeffect "{ .reg .pred q; setp.eq.u32 q, $1, 0; @q bra done; st.global.u32 [$0], 0; done: st.global.u32 [$0+4], 0; }", "l,r"(ptr %p, i32 %i)
  call void asm sideeffect "{ @q exit; st.global.u32 [$0], 0; }", "l"(ptr %p)
  ; how much
  call void asm sideeffect "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1, {$0}], [$0];", "r,l"(i32 %i, ptr %p)
  call void asm sideeffect "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [$0], [$1], 16, $1;", "l,r"(ptr %p, i32 %i)
  call void asm sideeffect "tensormap.replace.tile.rank.global.b1024.b32 [$0], 2;", "l"(ptr %p)
  call void asm sideeffect "{ .reg .u32 n; activemask.b32 n; cp.async.ca.shared.global [$0], [$1], 4, n; }", "r,l"(i32 %i, ptr %p)
  call void asm sideeffect "st.global.e2m1x2 [$0], $1;", "l,r"(ptr %p, i32 %i)
  ; one name, two registers
  call void asm sideeffect "{ .reg .u64 a; mov.u64 a, $0; { .reg .u64 a; mov.u64 a, 0; } st.global.u32 [a], 0; }", "l"(ptr %p)
  ; a sum with a carry
  call void asm sideeffect "{ .reg .u64 a; add.cc.u64 a, $0, 4; st.global.u32 [a], 0; }", "l"(ptr %p)
  ret void
}

define void @end() {
  ret void
}
