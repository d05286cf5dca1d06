; Simple inline PTX becomes code; the rest a warning and a run-time error that name it.
; RUN: %opt_gasan -passes=gasan-retarget,verify,mem2reg,instsimplify -gasan-cpu-helpers=%cpu_bc -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=WARN %s < %t.err
target triple = "nvptx64-nvidia-cuda"

; CHECK: c"inline PTX \22txq.normalized.v4.b32 {$0,$1,$2,$3}, [$4, {$5}];\22\00"

; CHECK-LABEL: define internal i32 @_Z5emptyi(
; CHECK-NEXT: ret i32 %v
define i32 @_Z5emptyi(i32 %v) "target-cpu"="sm_80" {
  call void asm sideeffect "", "~{memory}"()
  %r = call i32 asm sideeffect "", "=r,0"(i32 %v)
  ret i32 %r
}

define i32 @_Z5lanesv() {
  %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  ret i32 %l
}
define i64 @_Z4packii(i32 %a, i32 %b) {
  %v = call i64 asm "{ .reg .u32 low; add.u32 low, $1, 1; mov.b64 $0, {low, $2}; }", "=l,r,r"(i32 %a, i32 %b)
  ret i64 %v
}
define { i32, i32 } @_Z5carryii(i32 %a, i32 %b) {
  %v = call { i32, i32 } asm "add.cc.u32 $0, $2, $3; addc.u32 $1, 0, 0;", "=r,=r,r,r"(i32 %a, i32 %b)
  ret { i32, i32 } %v
}
define float @_Z5floatff(float %a, float %b) {
  %v = call float asm "sub.rz.ftz.f32 $0, $1, $2;", "=f,f,f"(float %a, float %b)
  ret float %v
}
define i32 @_Z7guardedii(i32 %a, i32 %b) {
  %v = call i32 asm "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, 1, 2, p; @!p add.s32 $0, $0, 10; }", "=r,r,r"(i32 %a, i32 %b)
  ret i32 %v
}
define i32 @_Z6memoryPi(ptr %p) {
  %v = call i32 asm sideeffect "ld.acquire.gpu.global.u32 $0, [$1+8];", "=r,l,~{memory}"(ptr %p)
  call void asm sideeffect "st.volatile.shared.v2.f32 [$0], {$1, $1};", "l,f"(ptr %p, float 1.0)
  %o = call i32 asm sideeffect "atom.add.relaxed.gpu.u32 $0, [$1], 3;", "=r,l"(ptr %p)
  call void asm sideeffect "membar.gl;", ""()
  ret i32 %v
}

; CHECK-LABEL: define internal i32 @gasan.ptx.device()
; CHECK: call {{.*}}i32 @gasan_nvvm_read_ptx_sreg_laneid()
; CHECK-LABEL: define internal i64 @gasan.ptx.1.device(i32 %0, i32 %1)
; CHECK: add i33
; CHECK: shl i64 %{{.*}}, 32
; CHECK-LABEL: define internal { i32, i32 } @gasan.ptx.2.device(
; CHECK: lshr i33 %{{.*}}, 32
; CHECK-LABEL: define internal float @gasan.ptx.3.device(
; CHECK: call float @gasan_nvvm_sub_rz_ftz_f(float
; CHECK-LABEL: define internal i32 @gasan.ptx.4.device(
; CHECK: icmp slt i32 %0, %1
; CHECK: br i1
; CHECK-LABEL: define internal i32 @gasan.ptx.5.device(
; CHECK: add i64 %{{.*}}, 8
; CHECK: load atomic volatile i32, ptr %{{.*}} seq_cst
; CHECK-LABEL: define internal void @gasan.ptx.6.device(
; CHECK: store volatile i32
; CHECK: store volatile i32
; CHECK-LABEL: define internal i32 @gasan.ptx.7.device(
; CHECK: atomicrmw add ptr %{{.*}}, i32 3 seq_cst
; CHECK-LABEL: define internal void @gasan.ptx.8.device(
; CHECK: fence seq_cst

; WARN-COUNT-1: inline PTX "txq.normalized.v4.b32 {$0,$1,$2,$3}, [$4, {$5}];" is not supported on the CPU device
; WARN-NOT: warning
define float @_Z7texturexi(i64 %t, i32 %x) {
  %v = call { float, float, float, float } asm "txq.normalized.v4.b32 {$0,$1,$2,$3}, [$4, {$5}];", "=f,=f,=f,=f,l,r"(i64 %t, i32 %x)
  %r = extractvalue { float, float, float, float } %v, 0
  ret float %r
}
