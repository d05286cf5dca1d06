; Division by zero does not trap on a GPU, and conversions to integers saturate.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal i32 @_Z3divii(
; CHECK-DAG: %[[N:.*]] = freeze i32 %n
; CHECK-DAG: %[[D:.*]] = freeze i32 %d
; CHECK: %[[ZERO:.*]] = icmp eq i32 %[[D]], 0
; CHECK: %[[MINUS:.*]] = icmp eq i32 %[[D]], -1
; CHECK: %[[ANY:.*]] = or i1 %[[ZERO]], %[[MINUS]]
; CHECK: %[[SAFE:.*]] = select i1 %[[ANY]], i32 1, i32 %[[D]]
; CHECK: %[[Q:.*]] = sdiv i32 %[[N]], %[[SAFE]]
; CHECK: %[[NEGATED:.*]] = sub i32 0, %[[N]]
; CHECK: %[[WRAPPED:.*]] = select i1 %[[MINUS]], i32 %[[NEGATED]], i32 %[[Q]]
; CHECK: select i1 %[[ZERO]], i32 -1, i32 %[[WRAPPED]]
define i32 @_Z3divii(i32 %n, i32 %d) "target-cpu"="sm_80" {
  %q = sdiv i32 %n, %d
  ret i32 %q
}

; CHECK-LABEL: define internal i64 @_Z3remmm(
; CHECK-NOT: -1
; CHECK: urem i64
; CHECK: select i1 %{{.*}}, i64 %{{.*}}, i64
define i64 @_Z3remmm(i64 %n, i64 %d) {
  %r = urem i64 %n, %d
  ret i64 %r
}

; CHECK-LABEL: define internal i32 @_Z8constanti(
; CHECK-NEXT: sdiv exact i32 %n, 4
define i32 @_Z8constanti(i32 %n) {
  %q = sdiv exact i32 %n, 4
  ret i32 %q
}

; CHECK-LABEL: define internal i32 @_Z7convertfd(
; CHECK: call i32 @llvm.fptosi.sat.i32.f32(float %f)
; CHECK: call i64 @llvm.fptoui.sat.i64.f64(double %d)
define i32 @_Z7convertfd(float %f, double %d) {
  %i = fptosi float %f to i32
  %u = fptoui double %d to i64
  ret i32 %i
}
