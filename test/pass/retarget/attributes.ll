; LLVM's facts on a GPU thread do not hold for a function that reads its thread index from memory and that may end
; the thread in a call.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: define internal i32 @_Z5indexv() [[PURE:#[0-9]+]]
; CHECK-NEXT: call i32 @gasan_nvvm_read_ptx_sreg_tid_x()
define i32 @_Z5indexv() #0 {
  %t = call range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %t
}

; CHECK: define internal i32 @_Z4callv() [[CONVERGENT:#[0-9]+]]
; CHECK-NEXT: call i32 @_Z5indexv() [[SITE:#[0-9]+]]
define i32 @_Z4callv() #1 {
  %t = call i32 @_Z5indexv() #2
  ret i32 %t
}

; CUDA's scopes would be unknown to x86, which would drop the fence.
; CHECK: define internal void @_Z6scopesPi
; CHECK: atomicrmw add ptr %p, i32 1 monotonic, align 4
; CHECK: fence seq_cst
; CHECK: load atomic i32, ptr %p acquire, align 4
define void @_Z6scopesPi(ptr %p) {
  %old = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic
  fence syncscope("block") seq_cst
  %v = load atomic i32, ptr %p syncscope("block") acquire, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-DAG: attributes [[PURE]] = { mustprogress nounwind uwtable "probe-stack"="inline-asm" }
; CHECK-DAG: attributes [[CONVERGENT]] = { convergent nounwind uwtable "probe-stack"="inline-asm" }
; CHECK-DAG: attributes [[SITE]] = { nounwind }
attributes #0 = { mustprogress nofree nosync nounwind willreturn memory(none) "target-cpu"="sm_80" "frame-pointer"="all" }
attributes #1 = { convergent nosync nounwind speculatable memory(none) "target-cpu"="sm_80" }
attributes #2 = { nounwind willreturn memory(none) }
