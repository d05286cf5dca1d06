; In a function of many checks, the checks share one call that reports.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-group-checks=false -gasan-batch-checks=false \
; RUN:   -gasan-shared-reports=3 -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-group-checks=false -gasan-batch-checks=false \
; RUN:   -gasan-shared-reports=5 -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=FEW
; RUN: %opt_gasan -gasan-mode=bst -gasan-group-checks=false -gasan-batch-checks=false -gasan-shared-reports=2 \
; RUN:   -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=FAST

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @several(
; CHECK: br i1 %{{.*}}, label %[[FIRST:[0-9]+]], label
; CHECK: [[FIRST]]:
; CHECK: br i1 true, label %gasan.report
; CHECK: gasan.report:
; CHECK-NEXT: %[[ADDRESS:.*]] = phi i64 [ %{{.*}}, %[[FIRST]] ], [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ],
; CHECK-SAME: {{^}} [ %{{.*}}, %{{.*}} ]
; CHECK-NEXT: %[[WIDTH:.*]] = phi i64 [ 4, %[[FIRST]] ], [ 8, %{{.*}} ], [ 1, %{{.*}} ], [ 1, %{{.*}} ]
; CHECK-NEXT: %[[SITE:.*]] = phi i32 [ 0, %[[FIRST]] ], [ 1, %{{.*}} ], [ 2, %{{.*}} ], [ 2, %{{.*}} ]
; CHECK-NEXT: %[[BASE:.*]] = phi i64 [ %gasan.base, %[[FIRST]] ], [ %gasan.base, %{{.*}} ], [ %gasan.base, %{{.*}} ],
; CHECK-SAME: {{^}} [ %gasan.base{{[0-9]+}}, %{{.*}} ]
; CHECK-NEXT: %[[SIZE:.*]] = phi i64
; CHECK-NEXT: %[[OBJECT:.*]] = phi i32
; CHECK-NEXT: call void @__gasan_report_bounds(i64 %[[ADDRESS]], i64 %[[WIDTH]], i32 %[[SITE]], i64 %[[BASE]],
; CHECK-SAME: {{^}} i64 %[[SIZE]], i32 %[[OBJECT]])
; CHECK-NEXT: unreachable
; CHECK-NOT: call void @__gasan_report_bounds(
; CHECK: }
; FEW-LABEL: define void @several(
; FEW-COUNT-4: call void @__gasan_report_bounds(
; FEW-NOT: phi
; FEW: }
define void @several(ptr %p, ptr %q, i64 %i) sanitize_address {
  %a = getelementptr i8, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %b = getelementptr i8, ptr %a, i64 %i
  store i64 1, ptr %b, align 1
  %c = getelementptr i8, ptr %b, i64 %i
  store i8 1, ptr %c, align 1
  %d = getelementptr i8, ptr %q, i64 %i
  store i8 1, ptr %d, align 1
  ret void
}

; In the variant for proven launches each innermost loop has its own call, so that the exits of two loops do not meet
; before the loops' ends.
; CHECK-LABEL: define ptx_kernel void @loops(
; CHECK: call void @__gasan_report_bounds(
; CHECK-NOT: call void @__gasan_report_bounds(
; CHECK: }
; FAST-LABEL: define ptx_kernel void @__gasan_proven_loops(
; FAST-COUNT-2: call void @__gasan_report_bounds(
; FAST-NOT: call void @__gasan_report_bounds(
; FAST: }
define ptx_kernel void @loops(ptr %p, ptr %q, i64 %i, i64 %n) sanitize_address {
entry:
  br label %first
first:
  %x = phi i64 [ 0, %entry ], [ %x.next, %first ]
  %a = getelementptr i8, ptr %p, i64 %x
  %y = load volatile i64, ptr %a, align 1
  %b = getelementptr i8, ptr %q, i64 %y
  store volatile i8 1, ptr %b, align 1
  %x.next = add i64 %x, %i
  %again = icmp ult i64 %x.next, %n
  br i1 %again, label %first, label %second
second:
  %z = phi i64 [ 0, %first ], [ %z.next, %second ]
  %c = getelementptr i8, ptr %p, i64 %z
  %w = load volatile i64, ptr %c, align 1
  %d = getelementptr i8, ptr %q, i64 %w
  store volatile i8 1, ptr %d, align 1
  %z.next = add i64 %z, %w
  %more = icmp ult i64 %z.next, %n
  br i1 %more, label %second, label %end
end:
  ret void
}

; Functions that are called have one call.
; CHECK-LABEL: define void @called(
; CHECK: call void @__gasan_report_bounds(
; CHECK-NOT: call void @__gasan_report_bounds(
; CHECK: }
define void @called(ptr %p, ptr %q, i64 %i, i64 %n) sanitize_address {
entry:
  br label %first
first:
  %x = phi i64 [ 0, %entry ], [ %x.next, %first ]
  %a = getelementptr i8, ptr %p, i64 %x
  %y = load volatile i64, ptr %a, align 1
  %b = getelementptr i8, ptr %q, i64 %y
  store volatile i8 1, ptr %b, align 1
  %x.next = add i64 %x, %i
  %again = icmp ult i64 %x.next, %n
  br i1 %again, label %first, label %second
second:
  %z = phi i64 [ 0, %first ], [ %z.next, %second ]
  %c = getelementptr i8, ptr %p, i64 %z
  %w = load volatile i64, ptr %c, align 1
  %d = getelementptr i8, ptr %q, i64 %w
  store volatile i8 1, ptr %d, align 1
  %z.next = add i64 %z, %w
  %more = icmp ult i64 %z.next, %n
  br i1 %more, label %second, label %end
end:
  ret void
}

; So do functions that are called and call others, from two checks on; kernels keep no values over calls.
; FEW-LABEL: define void @calls(
; FEW: call void @__gasan_report_bounds(
; FEW-NOT: call void @__gasan_report_bounds(
; FEW: }
declare void @elsewhere()
define void @calls(ptr %p) sanitize_address {
  store i8 1, ptr %p, align 1
  call void @elsewhere()
  %next = getelementptr i8, ptr %p, i64 1
  store i8 2, ptr %next, align 1
  ret void
}

; FEW-LABEL: define ptx_kernel void @kernel_calls(
; FEW-COUNT-2: call void @__gasan_report_bounds(
; FEW: }
define ptx_kernel void @kernel_calls(ptr %p) sanitize_address {
  store i8 1, ptr %p, align 1
  call void @elsewhere()
  %next = getelementptr i8, ptr %p, i64 1
  store i8 2, ptr %next, align 1
  ret void
}
