; A phi or select of an ordinary index and a distance between two pointers is an index: the distance does not excuse an
; overflow by the index.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define ptx_kernel void @index_on_one_way(
; CHECK: %p = getelementptr i8, ptr %a, i64 %o{{$}}
define ptx_kernel void @index_on_one_way(ptr %a, ptr %b, i64 %i, i1 %far) "gasan-sanitize" {
  %x = ptrtoint ptr %a to i64
  %y = ptrtoint ptr %b to i64
  %d = sub i64 %y, %x
  %o = select i1 %far, i64 %d, i64 %i
  %p = getelementptr i8, ptr %a, i64 %o
  store i8 1, ptr %p, align 1
  ret void
}

; 0 leads to no other object, so a distance may be 0 on some paths.
; CHECK-LABEL: define ptx_kernel void @distance_or_nothing(
; CHECK: %p = getelementptr i8, ptr %a, i64 %o, !gasan.relative
define ptx_kernel void @distance_or_nothing(ptr %a, ptr %b, i1 %far) "gasan-sanitize" {
  %x = ptrtoint ptr %a to i64
  %y = ptrtoint ptr %b to i64
  %d = sub i64 %y, %x
  %o = select i1 %far, i64 %d, i64 0
  %p = getelementptr i8, ptr %a, i64 %o
  store i8 1, ptr %p, align 1
  ret void
}
