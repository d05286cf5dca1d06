; Division by zero does not trap on a GPU, conversions to integers saturate, and large shifts give 0 or the sign.
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
; CHECK: %[[I:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %f)
; CHECK-NEXT: %[[U:.*]] = call i64 @llvm.fptoui.sat.i64.f64(double %d)
; CHECK-NEXT: %[[NAN:.*]] = fcmp uno double %d, %d
; CHECK-NEXT: select i1 %[[NAN]], i64 -9223372036854775808, i64 %[[U]]
; CHECK: ret i32 %[[I]]
define i32 @_Z7convertfd(float %f, double %d) {
  %i = fptosi float %f to i32
  %u = fptoui double %d to i64
  ret i32 %i
}

; PTX has no 8-bit destination.
; CHECK-LABEL: define internal i8 @_Z4bytef(
; CHECK: %[[S:.*]] = call i16 @llvm.fptoui.sat.i16.f32(float %f)
; CHECK: trunc i16 %[[S]] to i8
define i8 @_Z4bytef(float %f) {
  %b = fptoui float %f to i8
  ret i8 %b
}

; CHECK-LABEL: define internal i64 @_Z5shiftli(
; CHECK: %[[AMOUNT:.*]] = freeze i64 %n
; CHECK: %[[WITHIN:.*]] = icmp ult i64 %[[AMOUNT]], 64
; CHECK: %[[SHIFTED:.*]] = shl i64 %v, %[[AMOUNT]]
; CHECK: select i1 %[[WITHIN]], i64 %[[SHIFTED]], i64 0
define i64 @_Z5shiftli(i64 %v, i64 %n) {
  %s = shl nuw i64 %v, %n
  ret i64 %s
}

; CHECK-LABEL: define internal i32 @_Z5signsii(
; CHECK: %[[AMOUNT:.*]] = call i32 @llvm.umin.i32(i32 %{{.*}}, i32 31)
; CHECK: ashr i32 %v, %[[AMOUNT]]
define i32 @_Z5signsii(i32 %v, i32 %n) {
  %s = ashr i32 %v, %n
  ret i32 %s
}

; Shifts whose amount is known to be less than the width stay unchanged.
; CHECK-LABEL: define internal i32 @_Z5knownii(
; CHECK-NEXT: and i32 %n, 31
; CHECK-NEXT: lshr i32
; CHECK-NEXT: ret
define i32 @_Z5knownii(i32 %v, i32 %n) {
  %m = and i32 %n, 31
  %s = lshr i32 %v, %m
  ret i32 %s
}
