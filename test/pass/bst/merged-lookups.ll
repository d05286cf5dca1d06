; Pointers from memory that are used only in a phi or select are looked up once, after it.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-merged-lookups=false -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck --check-prefix=OFF %s
; Memory may have been freed before a later lookup.
; RUN: sed 's/@nothing/@free/' %s | %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify \
; RUN:   -S | FileCheck --check-prefix=OFF %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-strict-temporal -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck --check-prefix=OFF %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @nothing(ptr)

define void @frees(ptr %p) sanitize_address {
  call void @nothing(ptr %p)
  ret void
}

; A tree: the lookup comes after the test for a child. Both accesses of a node have one check, with the alignment in the
; limit.
; CHECK-LABEL: define internal void @down(
; CHECK: node:
; CHECK: %at = phi ptr
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 15)
; CHECK-NOT: @__gasan_bounds(
; CHECK: left:
; CHECK-NOT: @__gasan_bounds(
; CHECK: ret void
; OFF-LABEL: define internal void @down
; OFF: left:
; OFF: call %struct.gasan_bounds @__gasan_bounds(
; OFF: right:
; OFF: call %struct.gasan_bounds @__gasan_bounds(
; OFF: ret void
define internal void @down(ptr %root) sanitize_address noinline {
entry:
  %none = icmp eq ptr %root, null
  br i1 %none, label %done, label %node
node:
  %at = phi ptr [ %root, %entry ], [ %a, %left ], [ %b, %right ]
  %key = load i64, ptr %at, align 8
  %link = getelementptr i8, ptr %at, i64 8
  %other = load i64, ptr %link, align 8
  %goes = icmp ult i64 %key, %other
  br i1 %goes, label %left, label %right
left:
  %a = load ptr, ptr %link, align 8
  %last = icmp eq ptr %a, null
  br i1 %last, label %done, label %node
right:
  %b = load ptr, ptr %at, align 8
  %end = icmp eq ptr %b, null
  br i1 %end, label %done, label %node
done:
  ret void
}

define ptx_kernel void @kernel(ptr %x) sanitize_address {
  %root = load ptr, ptr %x, align 8
  call void @down(ptr %root)
  ret void
}

; One of two, and one merge of another: one lookup.
; CHECK-LABEL: define ptx_kernel void @choice(
; CHECK: %s = select i1 %c, ptr %p, ptr %q
; CHECK-NOT: @__gasan_bounds(
; CHECK: end:
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK-NOT: @__gasan_bounds(
; CHECK: ret void
; OFF-LABEL: define ptx_kernel void @choice(
; OFF-COUNT-3: call %struct.gasan_bounds @__gasan_bounds(
; OFF: ret void
define ptx_kernel void @choice(ptr %x, i1 %c) sanitize_address {
entry:
  %y = getelementptr i8, ptr %x, i64 8
  %p = load ptr, ptr %x, align 8
  %q = load ptr, ptr %y, align 8
  %s = select i1 %c, ptr %p, ptr %q
  %is = icmp eq ptr %s, null
  br i1 %is, label %other, label %end
other:
  %r = load ptr, ptr %y, align 8
  br label %end
end:
  %m = phi ptr [ %s, %entry ], [ %r, %other ]
  store i32 1, ptr %m, align 4
  br label %out
out:
  store i32 2, ptr %m, align 4
  ret void
}

; Not merged: a pointer that is used where it was loaded, ...
; CHECK-LABEL: define ptx_kernel void @used(
; CHECK: %p = load ptr
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: phi i64
; CHECK: ret void
define ptx_kernel void @used(ptr %x, i1 %c) sanitize_address {
entry:
  %y = getelementptr i8, ptr %x, i64 8
  %p = load ptr, ptr %x, align 8
  store i8 1, ptr %p, align 1
  br i1 %c, label %other, label %end
other:
  %q = load ptr, ptr %y, align 8
  br label %end
end:
  %m = phi ptr [ %p, %entry ], [ %q, %other ]
  store i64 1, ptr %m, align 8
  ret void
}

; ... one that has moved since, ...
; CHECK-LABEL: define ptx_kernel void @moved(
; CHECK: %q = load ptr
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: phi i64
; CHECK: ret void
define ptx_kernel void @moved(ptr %x, i1 %c, i64 %n) sanitize_address {
entry:
  %y = getelementptr i8, ptr %x, i64 8
  %p = load ptr, ptr %x, align 8
  br i1 %c, label %other, label %end
other:
  %q = load ptr, ptr %y, align 8
  %r = getelementptr i8, ptr %q, i64 %n
  br label %end
end:
  %m = phi ptr [ %p, %entry ], [ %r, %other ]
  store i64 1, ptr %m, align 8
  ret void
}

; ... a kernel's argument, whose bounds the launch passes, ...
; CHECK-LABEL: define ptx_kernel void @argument(
; CHECK: call %struct.gasan_bounds @__gasan_bounds_global(
; CHECK: %q = load ptr
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: phi i64
; CHECK: ret void
define ptx_kernel void @argument(ptr %x, ptr %y, i1 %c) sanitize_address {
entry:
  br i1 %c, label %other, label %end
other:
  %q = load ptr, ptr %x, align 8
  br label %end
end:
  %m = phi ptr [ %y, %entry ], [ %q, %other ]
  store i64 1, ptr %m, align 8
  ret void
}

; ... and a pointer that a loop uses in each round, but loads once.
; CHECK-LABEL: define ptx_kernel void @again(
; CHECK: %p = load ptr
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: body:
; CHECK: phi i64
; CHECK: ret void
define ptx_kernel void @again(ptr %x, i64 %n) sanitize_address {
entry:
  %y = getelementptr i8, ptr %x, i64 8
  %p = load ptr, ptr %x, align 8
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %other, label %join
other:
  %q = load volatile ptr, ptr %y, align 8
  br label %join
join:
  %m = phi ptr [ %p, %body ], [ %q, %other ]
  store volatile i64 1, ptr %m, align 8
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}
