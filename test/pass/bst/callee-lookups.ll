; A function looks up the bounds of pointers that all callers have just loaded, or that are kernels' arguments. Bounds
; of all other pointers are passed.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-callee-lookups=false -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck --check-prefix=OFF %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-tags=on -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck --check-prefix=OFF %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal void @down(ptr %node)
; CHECK: call %struct.gasan_bounds @__gasan_bounds(
; CHECK: call void @down(ptr %next)
; OFF: define internal void @down.bounds(ptr %node, i64 %0, i64 %1, i32 %2)
define internal void @down(ptr %node) sanitize_address noinline {
  %key = load i32, ptr %node, align 4
  %goes = icmp ne i32 %key, 0
  br i1 %goes, label %deeper, label %done
deeper:
  %place = getelementptr i8, ptr %node, i64 8
  %next = load ptr, ptr %place, align 8
  call void @down(ptr %next)
  br label %done
done:
  ret void
}

define ptx_kernel void @kernel(ptr %root) sanitize_address {
  call void @down(ptr %root)
  ret void
}

; One caller has moved the pointer.
; CHECK-LABEL: define internal void @moved.bounds(ptr %p, i64 %0, i64 %1, i32 %2)
define internal void @moved(ptr %p) sanitize_address noinline {
  store i32 1, ptr %p, align 4
  ret void
}

; The pointer was loaded elsewhere: many calls may use it.
; CHECK-LABEL: define internal void @old.bounds(ptr %p, i64 %0, i64 %1, i32 %2)
define internal void @old(ptr %p) sanitize_address noinline {
  store i32 1, ptr %p, align 4
  ret void
}

; No caller has loaded it.
; CHECK-LABEL: define internal void @given.bounds(ptr %p, i64 %0, i64 %1, i32 %2)
define internal void @given(ptr %p) sanitize_address noinline {
  store i32 1, ptr %p, align 4
  ret void
}

define ptx_kernel void @others(ptr %x, i64 %n) sanitize_address {
entry:
  %p = load ptr, ptr %x, align 8
  %q = getelementptr i8, ptr %p, i64 %n
  call void @moved(ptr %p)
  call void @moved(ptr %q)
  call void @given(ptr %x)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @old(ptr %p)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
