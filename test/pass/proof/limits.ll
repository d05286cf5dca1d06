; Variants get the limits of their arguments' objects, so that a check compares with an argument. The report gets size
; and base, copied right before the branch to a report that several checks share.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=FULL < %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-hidden-arguments=false -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: define {{.*}}i64 %gasan.limit

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The argument may be misaligned: then its limit is 0.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_two_indices(
; CHECK-SAME: i64 %gasan.base{{[0-9]*}}, i64 %gasan.size{{[0-9]*}}, i64 %{{[^,]*}}, i64 %gasan.limit)
; CHECK-NOT: usub.sat
; CHECK-NOT: and i64
; CHECK: %[[OFFSET:.*]] = sub i64 %{{.*}}, %gasan.base
; CHECK-NEXT: %[[BAD:.*]] = icmp uge i64 %[[OFFSET]], %gasan.limit
; CHECK-NEXT: br i1 %[[BAD]]
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4, i32 {{.*}}, i64 %gasan.base{{[0-9]*}}, i64 %gasan.size
; CHECK: ret void
; The kernel itself computes the limit.
; FULL-LABEL: define ptx_kernel void @two_indices(
; FULL: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 3)
; FULL: and i64 %{{.*}}, 3
; FULL: select i1 %{{.*}}, i64 %[[LIMIT]], i64 0
define ptx_kernel void @two_indices(ptr %a, ptr %index) sanitize_address {
  %i = load i64, ptr %index, align 8
  %next = getelementptr i8, ptr %index, i64 8
  %j = load i64, ptr %next, align 8
  %row = getelementptr i32, ptr %a, i64 %i
  %p = getelementptr i32, ptr %row, i64 %j
  store i32 1, ptr %p, align 4
  ret void
}

; One limit for each width and alignment.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_widths(
; CHECK-SAME: i64 %gasan.limit{{[0-9]*}}, i64 %{{[^,]*}}, i64 %gasan.limit{{[0-9]*}})
; CHECK-NOT: usub.sat
; CHECK: ret void
define ptx_kernel void @widths(ptr %a, ptr %index) sanitize_address {
  %i = load i64, ptr %index, align 8
  %j = load volatile i64, ptr %index, align 8
  %p = getelementptr i8, ptr %a, i64 %i
  %q = getelementptr i8, ptr %p, i64 %j
  store i16 1, ptr %q, align 1
  fence seq_cst
  %k = load volatile i64, ptr %index, align 8
  %r = getelementptr i8, ptr %q, i64 %k
  store i64 1, ptr %r, align 1
  fence seq_cst
  %l = load volatile i64, ptr %index, align 8
  %s = getelementptr i8, ptr %q, i64 %l
  store i64 1, ptr %s, align 1
  ret void
}

; Two checks share a report. Their addresses are copied, too.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_together(
; CHECK: %[[SIZE:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %gasan.size{{[0-9]*}})
; CHECK: %[[ADDRESS:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %{{[0-9]+}})
; CHECK: br i1 {{.*}}, label %gasan.report
; CHECK: %[[OTHER:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %gasan.size{{[0-9]*}})
; CHECK: %[[SECOND:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %{{[0-9]+}})
; CHECK: br i1 {{.*}}, label %gasan.report
; CHECK: gasan.report:
; CHECK: phi i64 [ %[[ADDRESS]], {{.*}}[ %[[SECOND]],
; CHECK: phi i64 {{.*}}[ %[[SIZE]], {{.*}}[ %[[OTHER]],
define ptx_kernel void @together(ptr %a, ptr %b, ptr %index) sanitize_address {
  %i = load i64, ptr %index, align 8
  %j = load volatile i64, ptr %index, align 8
  %p = getelementptr i8, ptr %a, i64 %i
  %q = getelementptr i8, ptr %p, i64 %j
  %r = getelementptr i8, ptr %b, i64 %i
  %s = getelementptr i8, ptr %r, i64 %j
  %x = load i8, ptr %q, align 1
  %y = load i8, ptr %s, align 1
  %sum = add i8 %x, %y
  store volatile i8 %sum, ptr %index, align 1
  ret void
}

; A switch has several edges to one block, and each phi one value for them.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_several_edges(
; CHECK: %[[BASE:.*]] = call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %gasan.base{{[0-9]*}})
; CHECK: phi i64 {{.*}}[ %[[BASE]], %[[FROM:.*]] ], [ %[[BASE]], %[[FROM]] ]
define ptx_kernel void @several_edges(ptr %a, ptr %b, ptr %index, i32 %which) sanitize_address {
entry:
  %i = load i64, ptr %index, align 8
  %j = load volatile i64, ptr %index, align 8
  %other = icmp eq i32 %which, 7
  br i1 %other, label %second, label %first
first:
  switch i32 %which, label %end [i32 1, label %merge
                                 i32 2, label %merge]
second:
  br label %merge
merge:
  %either = phi ptr [ %a, %first ], [ %a, %first ], [ %b, %second ]
  %p = getelementptr i8, ptr %either, i64 %i
  %q = getelementptr i8, ptr %p, i64 %j
  store i8 1, ptr %q, align 1
  br label %end
end:
  ret void
}
