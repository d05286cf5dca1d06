; -fgpu-flush-denormals-to-zero marks functions; their float operations flush operands and results, and the mark is
; removed.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; The sum's result is flushed already where the product uses it.
; CHECK-LABEL: define internal float @_Z7flushedff(
; CHECK-SAME: ) #[[ATTRIBUTES:[0-9]+]]
; CHECK: %[[MAGNITUDE:.*]] = call float @llvm.fabs.f32(float %a)
; CHECK: %[[SMALL:.*]] = fcmp olt float %[[MAGNITUDE]], 0x3810000000000000
; CHECK: %[[ZERO:.*]] = call float @llvm.copysign.f32(float 0.000000e+00, float %a)
; CHECK: %[[A:.*]] = select i1 %[[SMALL]], float %[[ZERO]], float %a
; CHECK: %[[B:.*]] = select i1 %{{.*}}, float %{{.*}}, float %b
; CHECK: %[[SUM:.*]] = fadd float %[[A]], %[[B]]
; CHECK: %[[CLEAN:.*]] = select i1 %{{.*}}, float %{{.*}}, float %[[SUM]]
; CHECK-NEXT: fmul float %[[CLEAN]], %[[CLEAN]]
; CHECK: ret
define float @_Z7flushedff(float %a, float %b) #0 {
  %sum = fadd float %a, %b
  %square = fmul float %sum, %sum
  ret float %square
}

; CHECK-LABEL: define internal double @_Z6doubled(
; CHECK-NEXT: fadd double %a, %a
; CHECK-NEXT: ret
define double @_Z6doubled(double %a) #0 {
  %sum = fadd double %a, %a
  ret double %sum
}

; CHECK-LABEL: define internal float @_Z4keptf(
; CHECK-NEXT: fadd float %a, %a
; CHECK-NEXT: ret
define float @_Z4keptf(float %a) "target-cpu"="sm_80" {
  %sum = fadd float %a, %a
  ret float %sum
}

; CHECK-NOT: denormal
attributes #0 = { "target-cpu"="sm_80" "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
