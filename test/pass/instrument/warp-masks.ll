; The checks of warp operations' masks: one comparison with the lane's own bit, before the operation. No check if the
; mask certainly contains the lane, and no second check of a mask.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES
; RUN: %opt_gasan -passes=gasan-instrument,verify -gasan-mode=bst -gasan-launch-proof=on -S %s \
; RUN:   | FileCheck %s --check-prefixes=CHECK,BST

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent
declare i1 @llvm.nvvm.vote.any.sync(i32, i1) convergent
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent
declare i32 @llvm.nvvm.redux.sync.add(i32, i32) convergent
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32) convergent
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
declare i32 @llvm.nvvm.activemask() convergent
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()

; CHECK-LABEL: define i32 @argument(
; CHECK: %[[OWN:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.eq()
; CHECK-NEXT: %[[BIT:.*]] = and i32 %mask, %[[OWN]]
; CHECK-NEXT: %[[BAD:.*]] = icmp eq i32 %[[BIT]], 0
; CHECK-NEXT: br i1 %[[BAD]], label %[[COLD:.*]], label %[[GOOD:.*]], !prof
; CHECK: [[COLD]]:
; CHECK: call void @__gasan_report_bounds(i64 %{{.*}}, i64 1, i32 0, i64 0, i64 0, i32 -247)
; CHECK-NEXT: unreachable
; CHECK: [[GOOD]]:
; CHECK-NEXT: call i32 @llvm.nvvm.shfl.sync.idx.i32(
; The second operation with the same mask is after the first.
; CHECK-NOT: lanemask
; CHECK: ret i32
; SITES: site 0 WARP 0 from
define i32 @argument(i32 %mask, i32 %value) "gasan-sanitize" {
  %a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %value, i32 3, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %a, i32 4, i32 31)
  ret i32 %b
}

; Neither of two branches comes before the other; after them, both do not.
; CHECK-LABEL: define void @branches(
; CHECK-COUNT-3: __gasan_report_bounds
; CHECK-NOT: __gasan_report
; CHECK: ret void
define void @branches(i32 %mask, i1 %left) "gasan-sanitize" {
  br i1 %left, label %l, label %r
l:
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  br label %end
r:
  %v = call i32 @llvm.nvvm.redux.sync.add(i32 7, i32 %mask)
  br label %end
end:
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  ret void
}

; A constant that lacks lanes.
; CHECK-LABEL: define i32 @half(
; CHECK: and i32 65535, %{{.*}}
; CHECK: __gasan_report_bounds(i64 65535,
define i32 @half(i1 %vote) "gasan-sanitize" {
  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 65535, i1 %vote)
  ret i32 %v
}

; A result without the caller's bit may be the next operation's mask.
; CHECK-LABEL: define i32 @ballot(
; CHECK: __gasan_report_bounds
; CHECK-NOT: __gasan_report
; CHECK: ret i32
define i32 @ballot(i1 %vote) "gasan-sanitize" {
  %some = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %vote)
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %some, i32 1, i32 3, i32 31)
  ret i32 %v
}

; CHECK-LABEL: define i32 @certain(
; CHECK-NOT: __gasan_report
; CHECK: ret i32
define i32 @certain(i32 %value, i1 %choice) "gasan-sanitize" {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 true)
  %group = call i32 @llvm.nvvm.match.any.sync.i32(i32 %all, i32 %value)
  call void @llvm.nvvm.bar.warp.sync(i32 %group)
  %active = call i32 @llvm.nvvm.activemask()
  %either = select i1 %choice, i32 %active, i32 %group
  call void @llvm.nvvm.bar.warp.sync(i32 %either)
  %both = and i32 %active, %group
  call void @llvm.nvvm.bar.warp.sync(i32 %both)
  %more = or i32 %active, %value
  call void @llvm.nvvm.bar.warp.sync(i32 %more)
  %own = shl i32 1, %lane
  call void @llvm.nvvm.bar.warp.sync(i32 %own)
  %first = and i32 %lane, -8
  %tile = shl i32 255, %first
  call void @llvm.nvvm.bar.warp.sync(i32 %tile)
  %assembly = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %begin = and i32 %assembly, 28
  %small = shl i32 15, %begin
  call void @llvm.nvvm.bar.warp.sync(i32 %small)
  %mask = call i32 asm sideeffect "activemask.b32 $0;", "=r"()
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  ret i32 %small
}

; A tile that is too small for its lanes, and lanes before the caller's.
; CHECK-LABEL: define void @almost(
; CHECK-COUNT-3: __gasan_report_bounds
; CHECK: ret void
define void @almost(i32 %value) "gasan-sanitize" {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %first = and i32 %lane, -16
  %tile = shl i32 255, %first
  call void @llvm.nvvm.bar.warp.sync(i32 %tile)
  %own = shl i32 1, %lane
  %before = sub i32 %own, 1
  call void @llvm.nvvm.bar.warp.sync(i32 %before)
  %active = call i32 @llvm.nvvm.activemask()
  %fewer = and i32 %active, %value
  call void @llvm.nvvm.bar.warp.sync(i32 %fewer)
  ret void
}

; In a loop: shifted each time, and from an activemask each time.
; CHECK-LABEL: define void @loops(
; CHECK: __gasan_report_bounds
; CHECK-NOT: __gasan_report
; CHECK: ret void
define void @loops(i1 %again) "gasan-sanitize" {
  br label %loop
loop:
  %mask = phi i32 [ -1, %0 ], [ %next, %loop ]
  %active = phi i32 [ -1, %0 ], [ %now, %loop ]
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  call void @llvm.nvvm.bar.warp.sync(i32 %active)
  %next = lshr i32 %mask, 1
  %now = call i32 @llvm.nvvm.activemask()
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Inline PTX: a guard is tested first, and statements after a label get no check.
; CHECK-LABEL: define i32 @assembly(
; CHECK: and i32 %mask,
; CHECK: __gasan_report_bounds
; CHECK: and i1
; CHECK: __gasan_report_bounds
; CHECK-NOT: __gasan_report
; CHECK: ret i32
define i32 @assembly(i32 %mask, i32 %other, i32 %third, i32 %value) "gasan-sanitize" {
  %a = call i32 asm sideeffect "shfl.sync.idx.b32 $0, $1, 0, 31, $2;", "=r,r,r"(i32 %value, i32 %mask)
  %b = call i32 asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $1, 0; @p redux.sync.add.u32 $0, $1, $2; }", "=r,r,r"(i32 %value, i32 %other)
  call void asm sideeffect "L: bar.warp.sync $0;", "r"(i32 %third)
  %sum = add i32 %a, %b
  ret i32 %sum
}

; CHECK-LABEL: define void @exempt(
; CHECK-NOT: __gasan_report
; CHECK: ret void
define void @exempt(i32 %mask) {
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  ret void
}

; Variants for proven launches keep the check.
; BST-LABEL: define ptx_kernel void @__gasan_proven_kernel(
; BST: __gasan_report_bounds(i64 %{{.*}}, i64 1, i32 {{.*}}, i64 0, i64 0, i32 -247)
; BST: ret void
define ptx_kernel void @kernel(ptr addrspace(1) %out, i32 %mask) "gasan-sanitize" {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %lane, i32 3, i32 31)
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
