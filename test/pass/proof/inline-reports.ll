; Variants of kernels with local arrays or with atomics in loops report without calls and without a branch, in the
; global space; other kernels, and the full one, call.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=OTHERS < %t.ll
; RUN: FileCheck %s --check-prefix=ATOMICS < %t.ll
; RUN: FileCheck %s --check-prefix=TWO < %t.ll
; RUN: FileCheck %s --check-prefix=NESTED < %t.ll
; RUN: FileCheck %s --check-prefix=BOTH < %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-inline-reports=false -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @elsewhere()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent

; CHECK-LABEL: define ptx_kernel void @__gasan_proven_with_array(
; CHECK-NOT: call {{.*}}@{{.*}}gasan
; CHECK: addrspacecast ptr addrspace(1) %{{.*}} to ptr
; CHECK-NOT: call {{.*}}@{{.*}}gasan
; CHECK: call void @llvm.nvvm.exit()
; CHECK-NOT: call {{.*}}@{{.*}}gasan
; CHECK: {{^}}}

; OTHERS-LABEL: define ptx_kernel void @with_array(
; OTHERS: call void @__gasan_report_bounds
; OTHERS-LABEL: define ptx_kernel void @__gasan_proven_without(
; OTHERS: call void @__gasan_report_bounds
; OTHERS-LABEL: define ptx_kernel void @__gasan_proven_with_call(
; OTHERS: call void @__gasan_report_bounds

; One report for the loop's checks. A thread that has reported goes to the loop's end, and exits there.
; ATOMICS-LABEL: define ptx_kernel void @__gasan_proven_with_atomics(
; ATOMICS-NOT: call {{.*}}@{{.*}}gasan
; ATOMICS: atomicrmw umin
; ATOMICS: end.all:
; ATOMICS-NEXT: [[REPORTED:%.*]] = phi i1 [ false, %{{.*}} ], [ true, %[[REPORT:.*]] ]
; ATOMICS-NEXT: phi i32 [ %next, %{{.*}} ], [ poison, %[[REPORT]] ]
; ATOMICS-NEXT: br i1 [[REPORTED]], label %[[EXIT:.*]], label
; ATOMICS: [[EXIT]]:
; ATOMICS-NEXT: call void @llvm.nvvm.exit()
; ATOMICS: [[REPORT]]:
; ATOMICS-COUNT-4: cmpxchg
; ATOMICS-NOT: {{(br|switch|phi|exit|call [^@]*@.*gasan)}}
; ATOMICS: call void @llvm.nvvm.membar.sys()
; ATOMICS-NEXT: store atomic {{.*}} monotonic
; ATOMICS-NEXT: br label %end.all
; ATOMICS-NOT: {{(cmpxchg|call .*gasan)}}
; ATOMICS: {{^}}}

; Threads wait for each other in the loop, or the loop has two exits: as before.
; OTHERS-LABEL: define ptx_kernel void @__gasan_proven_with_barrier(
; OTHERS: call void @__gasan_report_bounds
; TWO-LABEL: define ptx_kernel void @__gasan_proven_with_two_ends(
; TWO: atomicrmw umin
; TWO-NOT: gasan.reported
; TWO: cmpxchg
; TWO: call void @llvm.nvvm.exit()
; TWO-NOT: call {{.*}}@{{.*}}gasan
; TWO: {{^}}}

; OFF-LABEL: define ptx_kernel void @__gasan_proven_with_array(
; OFF: call void @__gasan_report_bounds
define ptx_kernel void @with_array(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %array = alloca [8 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %low = and i32 %x, 7
  %k = zext i32 %low to i64
  %q = getelementptr i32, ptr %array, i64 %k
  store i32 %t, ptr %q, align 4
  %y = load i32, ptr %array, align 4
  %y.w = zext i32 %y to i64
  %r = getelementptr i32, ptr %to, i64 %y.w
  store i32 1, ptr %r, align 4
  ret void
}

define ptx_kernel void @without(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %to, i64 %k
  store i32 1, ptr %q, align 4
  ret void
}

define ptx_kernel void @with_call(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %array = alloca [8 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %low = and i32 %x, 7
  %k = zext i32 %low to i64
  %q = getelementptr i32, ptr %array, i64 %k
  store i32 %t, ptr %q, align 4
  call void @elsewhere()
  %y = load i32, ptr %array, align 4
  %y.w = zext i32 %y to i64
  %r = getelementptr i32, ptr %to, i64 %y.w
  store i32 1, ptr %r, align 4
  ret void
}

define ptx_kernel void @with_atomics(ptr %from, ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x0 = load i32, ptr %p, align 4
  %k0 = zext i32 %x0 to i64
  %q0 = getelementptr i32, ptr %to, i64 %k0
  %x1 = atomicrmw umin ptr %q0, i32 %i monotonic
  %k1 = zext i32 %x1 to i64
  %q1 = getelementptr i32, ptr %to, i64 %k1
  %x2 = atomicrmw umin ptr %q1, i32 %i monotonic
  %k2 = zext i32 %x2 to i64
  %q2 = getelementptr i32, ptr %to, i64 %k2
  %x3 = atomicrmw umin ptr %q2, i32 %i monotonic
  %k3 = zext i32 %x3 to i64
  %q3 = getelementptr i32, ptr %to, i64 %k3
  %x4 = atomicrmw umin ptr %q3, i32 %i monotonic
  br label %again
again:
  %next = add i32 %x4, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %next, %again ]
  store i32 %last, ptr %from, align 4
  ret void
}

define ptx_kernel void @with_barrier(ptr %from, ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x0 = load i32, ptr %p, align 4
  %k0 = zext i32 %x0 to i64
  %q0 = getelementptr i32, ptr %to, i64 %k0
  %x1 = atomicrmw umin ptr %q0, i32 %i monotonic
  %k1 = zext i32 %x1 to i64
  %q1 = getelementptr i32, ptr %to, i64 %k1
  %x2 = atomicrmw umin ptr %q1, i32 %i monotonic
  %k2 = zext i32 %x2 to i64
  %q2 = getelementptr i32, ptr %to, i64 %k2
  %x3 = atomicrmw umin ptr %q2, i32 %i monotonic
  %k3 = zext i32 %x3 to i64
  %q3 = getelementptr i32, ptr %to, i64 %k3
  %x4 = atomicrmw umin ptr %q3, i32 %i monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %again
again:
  %next = add i32 %x4, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %next, %again ]
  store i32 %last, ptr %from, align 4
  ret void
}

define ptx_kernel void @with_two_ends(ptr %from, ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x0 = load i32, ptr %p, align 4
  %k0 = zext i32 %x0 to i64
  %q0 = getelementptr i32, ptr %to, i64 %k0
  %x1 = atomicrmw umin ptr %q0, i32 %i monotonic
  %k1 = zext i32 %x1 to i64
  %q1 = getelementptr i32, ptr %to, i64 %k1
  %x2 = atomicrmw umin ptr %q1, i32 %i monotonic
  %k2 = zext i32 %x2 to i64
  %q2 = getelementptr i32, ptr %to, i64 %k2
  %x3 = atomicrmw umin ptr %q2, i32 %i monotonic
  %k3 = zext i32 %x3 to i64
  %q3 = getelementptr i32, ptr %to, i64 %k3
  %x4 = atomicrmw umin ptr %q3, i32 %i monotonic
  %found = icmp eq i32 %x4, 0
  br i1 %found, label %early, label %again
again:
  %next = add i32 %x4, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %next, %again ]
  store i32 %last, ptr %from, align 4
  ret void
early:
  store i32 %x4, ptr %to, align 4
  ret void
}

; A value that an inner loop makes for checks is used after the outer one.
; NESTED-LABEL: define ptx_kernel void @__gasan_proven_with_inner_loop(
; NESTED: end.all:
; NESTED-NEXT: phi i1 [ false, %{{.*}} ], [ true, %[[REPORT:.*]] ]
; NESTED: phi i64 [ %gasan.bounds{{.*}}, %{{.*}} ], [ poison, %[[REPORT]] ]
; NESTED: {{^}}}
define ptx_kernel void @with_inner_loop(ptr %from, ptr %to, ptr %counts, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %s.next, %again ]
  %w = zext i32 %i to i64
  %r = getelementptr i32, ptr %counts, i64 %w
  %x = atomicrmw umin ptr %r, i32 %i monotonic
  br label %inner
inner:
  %p = phi ptr [ %from, %outer ], [ %q, %inner ]
  %q = phi ptr [ %to, %outer ], [ %p, %inner ]
  %s = phi i32 [ %x, %outer ], [ %s.next, %inner ]
  %s.w = zext i32 %s to i64
  %at = getelementptr i32, ptr %p, i64 %s.w
  %s.next = load i32, ptr %at, align 4
  %swap = icmp ult i32 %s.next, %n
  br i1 %swap, label %inner, label %again
again:
  %more = icmp ult i32 %s, %n
  br i1 %more, label %outer, label %end
end:
  br label %behind
behind:
  %j = phi i32 [ %x, %end ], [ %j.next, %behind ]
  %j.w = zext i32 %j to i64
  %b = getelementptr i32, ptr %p, i64 %j.w
  %j.next = load i32, ptr %b, align 4
  %on = icmp ult i32 %j.next, %n
  br i1 %on, label %behind, label %stop
stop:
  ret void
}

; The thread first leaves the inner loop, then the outer one at its end.
; BOTH-LABEL: define ptx_kernel void @__gasan_proven_with_both_loops(
; BOTH: again.all:
; BOTH: br i1 %gasan.reported, label %{{.*}}, label %[[ON:.*]]
; BOTH: [[ON]]: ; preds = %again.all
; BOTH: {{^}}}
define ptx_kernel void @with_both_loops(ptr %from, ptr %to, ptr %counts, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %outer
inner:
  %s = phi i32 [ %x, %outer ], [ %s.next, %inner ]
  %s.w = zext i32 %s to i64
  %at = getelementptr i32, ptr %to, i64 %s.w
  %s.next = atomicrmw umin ptr %at, i32 %s monotonic
  %in = icmp ult i32 %s.next, %n
  br i1 %in, label %inner, label %again
again:
  %sum = add i32 %x, %s.next
  %more = icmp ult i32 %s.next, 5
  br i1 %more, label %outer, label %end
outer:
  %i = phi i32 [ 0, %entry ], [ %sum, %again ]
  %w = zext i32 %i to i64
  %r = getelementptr i32, ptr %counts, i64 %w
  %x = load i32, ptr %r, align 4
  br label %inner
end:
  %b.w = zext i32 %sum to i64
  %b = getelementptr i32, ptr %from, i64 %b.w
  store i32 %s.next, ptr %b, align 4
  ret void
}

; ptxas keeps arrays in memory in a kernel with calls. That is best for arrays of 12 elements and more that a loop
; searches. Small ones, and those whose elements the code also accesses one by one, are left to ptxas.
; RUN: FileCheck %s --check-prefix=SEARCH < %t.ll
; SEARCH-LABEL: define ptx_kernel void @__gasan_proven_with_search(
; SEARCH-NOT: @llvm.nvvm.exit()
; SEARCH: call void @__gasan_report_bounds(
; SEARCH-NOT: @llvm.nvvm.exit()
; SEARCH: {{^}}}
; RUN: FileCheck %s --check-prefix=KEPT < %t.ll
; KEPT-LABEL: define ptx_kernel void @__gasan_proven_with_small_search(
; KEPT-NOT: call void @__gasan_report
; KEPT: call void @llvm.nvvm.exit()
; KEPT-LABEL: define ptx_kernel void @__gasan_proven_with_single_elements(
; KEPT-NOT: call void @__gasan_report
; KEPT: call void @llvm.nvvm.exit()
; KEPT: {{^}}}
define ptx_kernel void @with_search(ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  %stack = alloca [12 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %stack, align 4
  br label %inner
inner:
  %i = phi i32 [ %t, %entry ], [ %y, %inner ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %stack, i64 %w
  %y = load i32, ptr %p, align 4
  %over = icmp eq i32 %y, %n
  br i1 %over, label %end, label %inner
end:
  store i32 1, ptr %to, align 4
  ret void
}
define ptx_kernel void @with_small_search(ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  %stack = alloca [8 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %stack, align 4
  br label %inner
inner:
  %i = phi i32 [ %t, %entry ], [ %y, %inner ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %stack, i64 %w
  %y = load i32, ptr %p, align 4
  %over = icmp eq i32 %y, %n
  br i1 %over, label %end, label %inner
end:
  store i32 1, ptr %to, align 4
  ret void
}
define ptx_kernel void @with_single_elements(ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  %stack = alloca [12 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr %stack, align 4
  %e1 = getelementptr i32, ptr %stack, i64 1
  store i32 %t, ptr %e1, align 4
  %e2 = getelementptr i32, ptr %stack, i64 2
  store i32 %t, ptr %e2, align 4
  %e3 = getelementptr i32, ptr %stack, i64 3
  store i32 %t, ptr %e3, align 4
  br label %inner
inner:
  %i = phi i32 [ %t, %entry ], [ %y, %inner ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %stack, i64 %w
  %y = load i32, ptr %p, align 4
  %over = icmp eq i32 %y, %n
  br i1 %over, label %end, label %inner
end:
  store i32 1, ptr %to, align 4
  ret void
}

; If two loops share a report, threads leave neither: in the variant for launches that are proven in part, the checks
; after the loop with atomics report in the same two places as those in it. The paths to the two reports have blocks in
; common.
; RUN: FileCheck %s --check-prefix=SHARED < %t.ll
; SHARED-LABEL: define ptx_kernel void @__gasan_bounded_with_shared_reports(
; SHARED-NOT: gasan.reported
; SHARED-COUNT-2: {{^}}gasan.report{{[0-9]*}}:
; SHARED-NOT: gasan.reported
; SHARED: {{^}}}
@counts = internal addrspace(3) global [256 x i32] poison, align 4
define ptx_kernel void @with_shared_reports(ptr %from, ptr %to, i32 %n, i32 %m) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %clear
clear:
  %i = phi i32 [ %t, %entry ], [ %i.next, %clear ]
  %i.w = zext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(3) @counts, i64 %i.w
  store i32 0, ptr addrspace(3) %a, align 4
  %i.next = add nuw nsw i32 %i, 32
  %clear.more = icmp ult i32 %i.next, %m
  br i1 %clear.more, label %clear, label %cleared
cleared:
  %some = icmp ult i32 %t, %n
  br i1 %some, label %rows, label %write
rows:
  %stride = mul i32 %t, 7
  br label %row
row:
  %r = phi i32 [ 0, %rows ], [ %r.next, %counted ]
  br label %count
count:
  %j = phi i32 [ %t, %row ], [ %j.next, %count ]
  %j.w = zext i32 %j to i64
  %b = getelementptr i32, ptr %from, i64 %j.w
  %x = load i32, ptr %b, align 4
  %low = and i32 %x, 255
  %low.w = zext i32 %low to i64
  %c = getelementptr i32, ptr addrspace(3) @counts, i64 %low.w
  %old = atomicrmw add ptr addrspace(3) %c, i32 1 monotonic
  %j.next = add nuw nsw i32 %j, 32
  %count.more = icmp ult i32 %j.next, %n
  br i1 %count.more, label %count, label %counted
counted:
  %r.next = add i32 %r, %stride
  %row.more = icmp ult i32 %r.next, %m
  br i1 %row.more, label %row, label %write
write:
  %k = phi i32 [ %t, %cleared ], [ %t, %counted ], [ %k.next, %write ]
  %k.w = zext i32 %k to i64
  %d = getelementptr i32, ptr addrspace(3) @counts, i64 %k.w
  %y = load i32, ptr addrspace(3) %d, align 4
  %e = getelementptr i32, ptr %to, i64 %k.w
  store i32 %y, ptr %e, align 4
  %k.next = add nuw nsw i32 %k, 32
  %write.more = icmp ult i32 %k.next, %m
  br i1 %write.more, label %write, label %end
end:
  ret void
}
