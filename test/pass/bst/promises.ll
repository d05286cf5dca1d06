; A promise of the language is no reason to leave a check out (instrument/bst/Promises.h). Flags that the code generator
; needs are restored.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4

declare void @llvm.assume(i1)

; LLVM counts (n / 4) rounds of `i != n; i += 4`. The copy without checks runs only if the last of these rounds reaches
; the end.
; CHECK-LABEL: define void @meets_its_end(
; CHECK: %[[GUESS:.*]] = freeze i64 %{{.*}}
; CHECK: %[[WAY:.*]] = mul i64 4, %[[GUESS]]
; CHECK: %[[MEETS:.*]] = icmp eq i64 %{{.*}}, %n
; CHECK: and i1 {{.*}}%[[MEETS]]
; CHECK: loop.gasan:
; CHECK: getelementptr inbounds i32, ptr %p, i64 %i.gasan
; CHECK: add nuw nsw i64 %i.gasan, 4
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
; CHECK: add nuw nsw i64 %i, 4
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %loop{{.*}}, !llvm.loop
define void @meets_its_end(ptr %p, i64 %n) sanitize_address mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %next = add nuw nsw i64 %i, 4
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop, !llvm.loop !0
done:
  ret void
}

; With steps of one, i certainly reaches its end: no test.
; CHECK-LABEL: define void @one_by_one(
; CHECK-NOT: icmp eq i64
; CHECK: loop.gasan:
define void @one_by_one(ptr %p, i64 %n) sanitize_address mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %loop, !llvm.loop !0
done:
  ret void
}

; Either exit ends the loop, so the first one that is reached suffices. That i does not wrap before it is tested, too.
; CHECK-LABEL: define void @two_ends(
; CHECK-COUNT-2: = icmp ule i64 %{{.*}}, 2147483648
; CHECK: select i1
; CHECK: icmp ult i64 %{{.*}}, 4294967296
; CHECK: loop.gasan:
define void @two_ends(ptr %p, i64 %n, i64 %m, i32 %from, i32 %by) sanitize_address mustprogress {
entry:
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %next, %latch ]
  %w = sext i32 %i to i64
  %first = icmp sge i64 %w, %m
  br i1 %first, label %done, label %latch
latch:
  %second = icmp sge i64 %w, %n
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  store i32 1, ptr %a, align 1
  %next = add nsw i32 %i, 1
  br i1 %second, label %done, label %loop, !llvm.loop !0
done:
  ret void
}

; CHECK-LABEL: define void @assumed(
; CHECK-NOT: llvm.assume
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @assumed(i64 %i) sanitize_address {
  %small = icmp ult i64 %i, 64
  call void @llvm.assume(i1 %small)
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %i
  store i32 1, ptr addrspace(3) %a, align 1
  ret void
}

; CHECK-LABEL: define void @promised_ranges(
; CHECK-COUNT-3: call void @__gasan_report_bounds
; CHECK: ret void
define void @promised_ranges(ptr %p, i64 range(i64 0, 64) %i) sanitize_address {
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %i
  store i32 1, ptr addrspace(3) %a, align 1
  %j = load i64, ptr %p, align 1, !range !1
  %b = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %j
  store i32 1, ptr addrspace(3) %b, align 1
  ret void
}

; The limit of a mask or a remainder is a fact.
; CHECK-LABEL: define void @masked(
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define void @masked(i64 %i) sanitize_address {
  %j = and i64 %i, 63
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %j
  store i32 1, ptr addrspace(3) %a, align 1
  ret void
}

; `disjoint` is a fact if the operands imply it, otherwise a promise.
; CHECK-LABEL: define void @disjoint(
; CHECK-COUNT-1: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define void @disjoint(i64 %i, i64 %k) sanitize_address {
  %m = and i64 %i, 62
  %j = or disjoint i64 %m, 1
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %j
  store i32 1, ptr addrspace(3) %a, align 1
  %l = and i64 %k, 62
  %o = or disjoint i64 %l, %m
  %e = sub nuw i64 %o, %m
  %f = sub nuw i64 %o, %l
  %s = add nuw i64 %e, %f
  %b = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %s
  store i32 1, ptr addrspace(3) %b, align 1
  ret void
}

; i + 1 with a promise not to wrap, and the remainder of a value that the promise makes non-negative.
; CHECK-LABEL: define void @wraps(
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @wraps(i32 %n) sanitize_address {
  %low = and i32 %n, 2147483647
  %i = add nsw i32 %low, 1
  %h = ashr i32 %i, 26
  %w = sext i32 %h to i64
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i64 0, i64 %w
  store i32 1, ptr addrspace(3) %a, align 1
  ret void
}

!0 = distinct !{!0, !2}
!1 = !{i64 0, i64 64}
!2 = !{!"llvm.loop.mustprogress"}

; 99 - i is at most 99 if i <= 99, as nuw promises. The check is made.
; CHECK-LABEL: define i8 @less_than_promised(
; CHECK: %[[INDEX:.*]] = freeze i32 %less
; CHECK: icmp uge i32 %[[INDEX]], 100
; CHECK: call void @__gasan_report_bounds
@bytes = internal addrspace(3) global [100 x i8] undef, align 1
define i8 @less_than_promised(i32 %i) sanitize_address {
  %less = sub nuw nsw i32 99, %i
  %w = zext nneg i32 %less to i64
  %a = getelementptr inbounds nuw i8, ptr addrspacecast (ptr addrspace(3) @bytes to ptr), i64 %w
  %v = load i8, ptr %a
  ret i8 %v
}
