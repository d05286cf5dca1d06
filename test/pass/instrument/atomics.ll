; Atomics, volatile accesses and the intrinsics that read or write global memory.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define i32 @rmw(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 0)
; CHECK: atomicrmw add
; SITES: site 0 ATOMIC 4 from nowhere
; SITES-NEXT: #0 rmw :0:0
define i32 @rmw(ptr %p) "gasan-sanitize" {
  %v = atomicrmw add ptr %p, i32 1 seq_cst, align 4
  ret i32 %v
}

; CHECK-LABEL: define i64 @exchange(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 8, i32 1)
; CHECK: cmpxchg
; SITES: site 1 ATOMIC 8
define i64 @exchange(ptr addrspace(1) %p) "gasan-sanitize" {
  %r = cmpxchg ptr addrspace(1) %p, i64 0, i64 1 monotonic monotonic, align 8
  %v = extractvalue { i64, i1 } %r, 0
  ret i64 %v
}

; CHECK-LABEL: define void @volatile(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 2, i32 2)
; CHECK: load volatile i16
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 3)
; CHECK: store atomic i32
; SITES: site 2 READ 2
; SITES: site 3 WRITE 4
define void @volatile(ptr %p) "gasan-sanitize" {
  %v = load volatile i16, ptr %p, align 2
  store atomic i32 0, ptr %p release, align 4
  ret void
}

; CHECK-LABEL: define float @ldu(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 4)
; CHECK: @llvm.nvvm.ldu.global.f
; SITES: site 4 READ 4
define float @ldu(ptr addrspace(1) %p) "gasan-sanitize" {
  %v = call float @llvm.nvvm.ldu.global.f.f32.p1(ptr addrspace(1) %p, i32 4)
  ret float %v
}

; CHECK-LABEL: define i32 @system(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 4, i32 5)
; CHECK: @llvm.nvvm.atomic.cas.gen.i.sys
; SITES: site 5 ATOMIC 4
define i32 @system(ptr %p) "gasan-sanitize" {
  %v = call i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr %p, i32 1, i32 2)
  ret i32 %v
}

; The source of an asynchronous copy is checked, its destination is shared memory.
; CHECK-LABEL: define void @copy_async(
; CHECK: ptrtoint ptr addrspace(1) %from
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 6)
; CHECK: %[[SIZE:.*]] = zext i32 %n to i64
; CHECK: %[[A:.*]] = ptrtoint ptr addrspace(1) %from
; CHECK: call void @__gasan_check_range(i64 %[[A]], i64 %[[SIZE]], i32 7)
; SITES: site 6 READ 16
; SITES: site 7 READ 0
define void @copy_async(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %n) "gasan-sanitize" {
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %n)
  ret void
}

; CHECK-LABEL: define void @masked(
; CHECK: %[[ON:.*]] = extractelement <2 x i1> %mask, i64 0
; CHECK: %[[SIZE:.*]] = select i1 %[[ON]], i64 4, i64 0
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 %[[SIZE]], i32 8)
; CHECK: %[[ON:.*]] = extractelement <2 x i1> %mask, i64 1
; CHECK: %[[SIZE:.*]] = select i1 %[[ON]], i64 4, i64 0
; CHECK: getelementptr i8, ptr %p, i64 4
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 %[[SIZE]], i32 8)
; CHECK: @llvm.masked.load
; A lane that is certainly masked off has no check.
; CHECK: %[[LANE:.*]] = extractelement <2 x ptr> %q, i64 1
; CHECK: %[[A:.*]] = ptrtoint ptr %[[LANE]] to i64
; CHECK: call void @__gasan_check_range(i64 %[[A]], i64 4, i32 9)
; CHECK-NEXT: call void @llvm.masked.scatter
; SITES: site 8 READ 4
; SITES: site 9 WRITE 4
define void @masked(ptr %p, <2 x ptr> %q, <2 x i1> %mask) "gasan-sanitize" {
  %v = call <2 x i32> @llvm.masked.load.v2i32.p0(ptr align 4 %p, <2 x i1> %mask, <2 x i32> zeroinitializer)
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> %v, <2 x ptr> align 4 %q, <2 x i1> <i1 false, i1 true>)
  ret void
}

declare float @llvm.nvvm.ldu.global.f.f32.p1(ptr addrspace(1), i32)
declare i32 @llvm.nvvm.atomic.cas.gen.i.sys.i32.p0(ptr, i32, i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare <2 x i32> @llvm.masked.load.v2i32.p0(ptr, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, <2 x i1>)
