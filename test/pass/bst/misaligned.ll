; Hardware requires addresses that are multiples of the access's size. If the root's alignment implies this, the root is
; tested once, and the limit of a misaligned root is 0; otherwise the address is tested.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @loop(
; CHECK: %[[ADDRESS:.*]] = ptrtoint ptr %p to i64
; CHECK: %gasan.limit = call i64 @llvm.usub.sat.i64(i64 %gasan.size, i64 7)
; CHECK: %[[LOW:.*]] = and i64 %{{.*}}, 7
; CHECK: %[[ALIGNED:.*]] = icmp eq i64 %[[LOW]], 0
; CHECK: %[[LIMIT:.*]] = select i1 %[[ALIGNED]], i64 %gasan.limit, i64 0
; CHECK: body:
; CHECK-NOT: and
; CHECK: icmp uge i64 %{{.*}}, %[[LIMIT]]
; CHECK-NEXT: br
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 8, i32 0, i64 %gasan.base, i64 %gasan.size,
; CHECK-SAME: {{^}} i32 %gasan.object, i32 8)
define void @loop(ptr %p, i64 %n) "gasan-sanitize" {
entry:
  br label %body
body:
  %walking = phi ptr [ %p, %entry ], [ %next, %body ]
  %i = phi i64 [ 0, %entry ], [ %more, %body ]
  store i64 0, ptr %walking, align 8
  %next = getelementptr i64, ptr %walking, i64 2
  %more = add i64 %i, 1
  %done = icmp eq i64 %more, %n
  br i1 %done, label %exit, label %body
exit:
  ret void
}

; CHECK-LABEL: define void @bytes(
; CHECK: %[[OUT:.*]] = icmp uge i64
; CHECK-NEXT: %[[LOW:.*]] = and i64 %{{.*}}, 3
; CHECK-NEXT: %[[ODD:.*]] = icmp ne i64 %[[LOW]], 0
; CHECK-NEXT: or i1 %[[OUT]], %[[ODD]]
define void @bytes(ptr %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i8, ptr %p, i64 %i
  store i32 0, ptr %a, align 4
  ret void
}

; A vector's whole width; less if the code knows a smaller alignment. An alignment that callers promise is not used; the
; callee's own copy is aligned.
; CHECK-LABEL: define void @vectors(
; CHECK-DAG: and i64 %{{.*}}, 15
; CHECK-DAG: and i64 %{{.*}}, 7
; CHECK-DAG: and i64 %{{.*}}, 15
; CHECK-DAG: and i64 %{{.*}}, 3
; CHECK-NOT: and i64
; CHECK: ret void
define void @vectors(ptr %p, ptr %q, ptr align 16 %r, ptr %s, ptr byval([4 x float]) align 16 %own) "gasan-sanitize" {
  store <4 x float> zeroinitializer, ptr %p, align 16
  store <4 x float> zeroinitializer, ptr %q, align 8
  store <4 x float> zeroinitializer, ptr %r, align 16
  store <4 x float> zeroinitializer, ptr %own, align 16
  call void @llvm.memset.p0.i64(ptr align 4 %s, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr align 2 %q, i8 0, i64 128, i1 false) ; a loop over bytes
  ret void
}

; Parts of a vector that the optimiser has split are one access again: the backend does the same.
; CHECK-LABEL: define void @scalars(
; CHECK: and i64 %{{.*}}, 15
; CHECK-NOT: and i64
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 16, i32 {{[0-9]+}}, i64 %gasan.base, i64 %gasan.size,
; CHECK-SAME: {{^}} i32 %gasan.object, i32 16)
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define void @scalars(ptr %p, ptr %q) "gasan-sanitize" {
  %x = load i32, ptr %p, align 16
  %py = getelementptr i8, ptr %p, i64 4
  %y = load i32, ptr %py, align 4
  %pz = getelementptr i8, ptr %p, i64 8
  %z = load i32, ptr %pz, align 8
  %pw = getelementptr i8, ptr %p, i64 12
  %w = load i32, ptr %pw, align 4
  ret void
}

; Only its first half: no wider access.
; CHECK-LABEL: define void @half(
; CHECK: and i64 %{{.*}}, 7
; CHECK-NOT: and i64
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 8, i32 {{.*}}, i32 8)
; CHECK: ret void
define void @half(ptr %p) "gasan-sanitize" {
  %x = load i32, ptr %p, align 16
  %py = getelementptr i8, ptr %p, i64 4
  %y = load i32, ptr %py, align 4
  ret void
}

; One member of a vector is an access of its own, and so are parts that are not all accessed on every path.
; CHECK-LABEL: define void @parts(
; CHECK-NOT: and i64 %{{.*}}, 7
; CHECK: ret void
define void @parts(ptr %p, ptr %q) "gasan-sanitize" {
  %x = load i32, ptr %p, align 16
  %qx = load i32, ptr %q, align 16
  call void @may_end()
  %qp = getelementptr i8, ptr %q, i64 4
  %qy = load i32, ptr %qp, align 4
  ret void
}
declare void @may_end()

; Certainly in bounds, aligned or not.
; CHECK-LABEL: define void @variable(
; CHECK: %odd = getelementptr
; CHECK: and i64 %{{.*}}, 3
; CHECK: call void @__gasan_report_bounds{{[_a-z]*}}(
; CHECK-NOT: call void @__gasan_report_bounds{{[_a-z]*}}(
; CHECK: ret void
define void @variable() "gasan-sanitize" {
  %a = alloca [16 x i8], align 4
  %odd = getelementptr i8, ptr %a, i64 1
  store i32 0, ptr %odd, align 4
  %even = getelementptr i8, ptr %a, i64 12
  store i32 0, ptr %even, align 4
  ret void
}

; A constant address, aligned and within its variable: no test. One past the end is reported.
; CHECK-LABEL: define void @constants(
; CHECK-NOT: icmp
; CHECK: load float, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(4) @weights to ptr), i64 4)
; CHECK: br i1
; CHECK: call void @__gasan_report_bounds
@weights = addrspace(4) externally_initialized global [4 x float] zeroinitializer, align 4
define void @constants(ptr addrspace(1) %out) "gasan-sanitize" {
  %x = load float, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(4) @weights to ptr), i64 4), align 4
  %y = load float, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(4) @weights to ptr), i64 16), align 4
  %z = fadd float %x, %y
  call void @use(float %z)
  ret void
}
declare void @use(float)

; An earlier check of the same bytes does not cover an address at a distance that is no multiple.
; CHECK-LABEL: define void @within(
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 8, i32 [[FIRST:[0-9]+]],
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4,
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define void @within(ptr %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i8, ptr %p, i64 %i
  store i64 0, ptr %a, align 8
  %b = getelementptr i8, ptr %a, i64 2
  store i32 0, ptr %b, align 4
  %c = getelementptr i8, ptr %a, i64 4
  store i32 0, ptr %c, align 4
  ret void
}

; An earlier check of the same bytes, which asks for a smaller alignment, does not replace a check.
; CHECK-LABEL: define void @after_less_aligned(
; CHECK: and i64 %{{.*}}, 3
; CHECK: call void @__gasan_report
; CHECK: and i64 %{{.*}}, 7
; CHECK: call void @__gasan_report
; CHECK: ret void
define void @after_less_aligned(ptr %p, i64 %i) "gasan-sanitize" {
  %a = getelementptr i8, ptr %p, i64 %i
  store i64 0, ptr %a, align 4
  store i64 1, ptr %a, align 8
  ret void
}

; The same for a part of the bytes, in another block.
; CHECK-LABEL: define void @part_after_less_aligned(
; CHECK: and i64 %{{.*}}, 3
; CHECK: call void @__gasan_report
; CHECK: more:
; CHECK: and i64 %{{.*}}, 7
; CHECK: call void @__gasan_report
; CHECK: ret void
define void @part_after_less_aligned(ptr %p, i64 %i, i1 %again) "gasan-sanitize" {
  %a = getelementptr i8, ptr %p, i64 %i
  store <4 x i32> zeroinitializer, ptr %a, align 4
  br i1 %again, label %more, label %done
more:
  %b = getelementptr i8, ptr %a, i64 8
  store i64 1, ptr %b, align 8
  br label %done
done:
  ret void
}
