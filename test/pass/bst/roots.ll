; Bounds are computed once for each root, after its definition; each access subtracts, compares and branches.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -gasan-shared-reports=100 \
; RUN:   -gasan-group-checks=false -gasan-merged-lookups=false -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -gasan-shared-reports=100 \
; RUN:   -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: llc -mcpu=sm_80 %t.ll -o %t.ptx
; RUN: %cuda/bin/ptxas -arch=sm_80 %t.ptx -o %t.cubin
; RUN: not %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-pool=handles -passes=gasan-instrument \
; RUN:   -disable-output %s 2>&1 | FileCheck %s --check-prefix=POOL
; POOL: error: gasan: -gasan-mode=bst works with addresses and with gasan's own checks only; choose -gasan-mode=shadow
; RUN: not %opt_gasan -gasan-mode=best -passes=gasan-instrument -disable-output %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MODE
; MODE: error: gasan: -gasan-mode=best: choose shadow or bst

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The params record the mode of the code.
; CHECK: @__gasan_params = {{.*}} i64 0, i32 0, i32 2, i64 0

; CHECK-LABEL: define ptx_kernel void @two_widths(
; CHECK: %[[A:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: %[[R:.*]] = call %struct.gasan_bounds @__gasan_bounds_global(i64 %[[A]], i32 {{[-0-9]+}})
; CHECK-NEXT: %[[BASE:.*]] = extractvalue %struct.gasan_bounds %[[R]], 0
; CHECK-NEXT: %[[SIZE:.*]] = extractvalue %struct.gasan_bounds %[[R]], 1
; CHECK-DAG: %[[EIGHT:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 7)
; CHECK-DAG: %[[FOUR:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[SIZE]], i64 3)
; CHECK-DAG: %[[OBJECT:.*]] = extractvalue %struct.gasan_bounds %[[R]], 2
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %a to i64
; CHECK-NEXT: %[[OFFSET:.*]] = sub i64 %[[ADDRESS]], %[[BASE]]
; CHECK-NEXT: %[[BAD:.*]] = icmp uge i64 %[[OFFSET]], %[[FOUR]]
; CHECK-NEXT: br i1 %[[BAD]], label {{.*}}, label {{.*}}, !prof
; CHECK: %[[AGAIN:.*]] = ptrtoint ptr %a to i64
; CHECK-NEXT: call void @__gasan_report_bounds(i64 %[[AGAIN]], i64 4, i32 0, i64 %[[BASE]], i64 %[[SIZE]],
; CHECK-SAME: {{^}} i32 %[[OBJECT]])
; CHECK-NEXT: unreachable
; CHECK: icmp uge i64 {{.*}}, %[[EIGHT]]
; CHECK-NOT: @__gasan_bounds
; CHECK: ret void
define ptx_kernel void @two_widths(ptr %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i8, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %again = load i32, ptr %a, align 1 ; the same bytes: not again
  %b = getelementptr i8, ptr %a, i64 -1000 ; left, and perhaps back
  store i64 1, ptr %b, align 1
  ret void
}

; CHECK-LABEL: define void @loop(
; CHECK-COUNT-1: call %struct.gasan_bounds @__gasan_bounds(
; CHECK-NOT: phi i64 {{.*}}gasan
; CHECK-NOT: call %struct.gasan_bounds
; CHECK: ret void
define void @loop(ptr %p, ptr %end) "gasan-sanitize" {
entry:
  br label %body
body:
  %walking = phi ptr [ %p, %entry ], [ %next, %body ]
  store i32 0, ptr %walking, align 1
  %next = getelementptr i8, ptr %walking, i64 4
  %done = icmp eq ptr %next, %end
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; A pointer to one of two objects has a select of two bounds.
; CHECK-LABEL: define void @merge(
; CHECK: join:
; CHECK: phi i64 [ %gasan.base{{.*}}, %entry ], [ %gasan.base{{.*}}, %{{.*}} ]
; CHECK: phi i64
; CHECK: phi i32
define void @merge(ptr %p, ptr %q, i1 %c) "gasan-sanitize" {
entry:
  br i1 %c, label %left, label %join
left:
  %l = load ptr, ptr %q, align 1
  br label %join
join:
  %m = phi ptr [ %p, %entry ], [ %l, %left ]
  store i8 0, ptr %m
  ret void
}

; CHECK-LABEL: define void @choice(
; CHECK: select i1 %c, i64
; CHECK-NEXT: select i1 %c, i64 %{{.*}}, i64 0
; CHECK-NEXT: select i1 %c, i32 %{{.*}}, i32 -256
define void @choice(ptr %p, i1 %c) "gasan-sanitize" {
  %m = select i1 %c, ptr %p, ptr null
  store i8 0, ptr %m
  ret void
}

; One root on all paths, through integers in memory: no phi of bounds.
; CHECK-LABEL: define void @integers(
; CHECK-COUNT-1: call %struct.gasan_bounds @__gasan_bounds(
; CHECK-NOT: call %struct.gasan_bounds
; CHECK: ret void
define void @integers(ptr %p, i64 %n, i1 %c) "gasan-sanitize" {
entry:
  %i = ptrtoint ptr %p to i64
  %up = add i64 %i, %n
  %down = and i64 %up, -16
  br label %body
body:
  %w = phi i64 [ %down, %entry ], [ %next, %body ]
  %q = inttoptr i64 %w to ptr
  store i32 0, ptr %q, align 1
  %next = add i64 %w, 16
  br i1 %c, label %body, label %exit
exit:
  ret void
}

; An integer computed from two pointers: the result is a root.
; CHECK-LABEL: define void @unsure(
; CHECK: %q = inttoptr i64 %sum to ptr
; CHECK-NEXT: call %struct.gasan_bounds @__gasan_bounds(i64 %sum, i32 {{[-0-9]+}})
; CHECK: %other = getelementptr i8, ptr %a, i64 %distance
; CHECK-NEXT: call %struct.gasan_bounds @__gasan_bounds(i64 %bi, i32 {{[-0-9]+}})
define void @unsure(ptr %a, ptr %b) "gasan-sanitize" {
  %ai = ptrtoint ptr %a to i64
  %bi = ptrtoint ptr %b to i64
  %low = and i64 %bi, 15
  %mixed = add i64 %ai, %low
  %sum = add i64 %mixed, %bi
  %q = inttoptr i64 %sum to ptr
  store i32 0, ptr %q, align 1
  %distance = sub i64 %bi, %ai
  %other = getelementptr i8, ptr %a, i64 %distance
  store i32 0, ptr %other, align 1
  ret void
}

; Sizes known at run time only, and lanes that may be masked off.
; CHECK-LABEL: define void @ranges(
; CHECK: %[[SOME:.*]] = icmp ne i64 %n, 0
; CHECK: %[[LESS:.*]] = sub i64 %n, 1
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 %[[LESS]])
; CHECK: %[[OUT:.*]] = icmp uge i64 %{{.*}}, %[[LIMIT]]
; CHECK: select i1 %[[SOME]], i1 %[[OUT]], i1 false
; CHECK: call void @llvm.memset
; CHECK: extractelement <2 x i1> %mask, i64 1
; CHECK: call void @llvm.masked.store
define void @ranges(ptr %p, i64 %n, <2 x i1> %mask, <2 x i32> %v) "gasan-sanitize" {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %v, ptr align 4 %p, <2 x i1> %mask)
  ret void
}

; Each lane of a gather has its own root, or the same.
; CHECK-LABEL: define <2 x i32> @gather(
; CHECK-COUNT-1: call %struct.gasan_bounds @__gasan_bounds(
; CHECK-NOT: call %struct.gasan_bounds
; CHECK-LABEL: define <2 x i32> @gather_any(
; CHECK-COUNT-2: call %struct.gasan_bounds @__gasan_bounds(
define <2 x i32> @gather(ptr %p, <2 x i64> %i, <2 x i1> %mask) "gasan-sanitize" {
  %a = getelementptr i32, ptr %p, <2 x i64> %i
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %a, <2 x i1> %mask, <2 x i32> poison)
  ret <2 x i32> %v
}
define <2 x i32> @gather_any(<2 x ptr> %p, <2 x i1> %mask) "gasan-sanitize" {
  %v = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %p, <2 x i1> %mask, <2 x i32> poison)
  ret <2 x i32> %v
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, <2 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)

; A pointer that comes out of a vector, in which the pointers were exchanged, has the bounds of its own root.
; CHECK-LABEL: define void @exchanged_lanes(
; CHECK: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK: call {{.*}} @__gasan_bounds(i64 %[[Q]],
; CHECK-NOT: ptrtoint ptr %p to i64
; CHECK: ret void
define void @exchanged_lanes(ptr %p, ptr %q) sanitize_address {
  %first = insertelement <2 x ptr> poison, ptr %p, i64 0
  %both = insertelement <2 x ptr> %first, ptr %q, i64 1
  %exchanged = shufflevector <2 x ptr> %both, <2 x ptr> poison, <2 x i32> <i32 1, i32 0>
  %one = extractelement <2 x ptr> %exchanged, i64 0
  store i32 1, ptr %one, align 1
  ret void
}
