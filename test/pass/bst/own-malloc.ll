; A program's own malloc is not the heap's.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-mark,gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @free(ptr, i32)

; CHECK: @__gasan_params = {{.*}} i32 0 }
; CHECK: define ptr @malloc(i64
; CHECK: call ptr @malloc(i64 40)
; CHECK: call void @free(ptr %p, i32 1)
define ptr @malloc(i64 %size) {
  ret ptr null
}

define void @use() sanitize_address {
  %p = call ptr @malloc(i64 40)
  call void @free(ptr %p, i32 1)
  ret void
}
