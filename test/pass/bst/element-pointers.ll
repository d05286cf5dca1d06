; The pointers of a gather are taken out of its vector by the pass. The comparison of a null pointer folds to true and
; needs no address; the report needs one, of both elements.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-group-checks=false \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)

; CHECK-LABEL: define <2 x i32> @gather(
; CHECK: %[[FIRST:.*]] = extractelement <2 x ptr> %pointers, i64 0
; CHECK: %[[SECOND:.*]] = extractelement <2 x ptr> %pointers, i64 1
; CHECK-DAG: ptrtoint ptr %[[FIRST]] to i64
; CHECK-DAG: ptrtoint ptr %[[SECOND]] to i64
; CHECK: call void @__gasan_report_bounds(
define <2 x i32> @gather(<2 x i1> %mask) sanitize_address {
  %pointers = getelementptr i32, ptr null, <2 x i64> splat (i64 5)
  %values = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %pointers, <2 x i1> %mask, <2 x i32> zeroinitializer)
  ret <2 x i32> %values
}
