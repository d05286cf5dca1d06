; Inline PTX becomes code. Unknown PTX that a kernel reaches is a warning and an error at run time, or an error where
; the CPU device is the only one.
; RUN: %opt_gasan -passes=gasan-retarget,verify,mem2reg,instsimplify -gasan-cpu-helpers=%cpu_bc \
; RUN:   -gasan-devices=auto -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=WARN %s < %t.err
; RUN: not %opt_gasan -passes=gasan-retarget -gasan-devices=cpu -gasan-cpu-helpers=%cpu_bc -disable-output %s 2>&1 \
; RUN:   | FileCheck --check-prefix=ERROR %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: c"inline PTX \22frobnicate.v4.f32\22\00"

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
; CHECK: call float @gasan_nvvm_sub_rz_f(float
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

; WARN: warning: unknown.cu:7:3: in function _Z6kerneli i32 (i32): inline PTX "frobnicate.v4.f32"
; WARN-SAME: {{^}} is not supported on the CPU device
; WARN-NOT: warning
; ERROR: error: unknown.cu:7:3: in function _Z6kerneli i32 (i32): inline PTX "frobnicate.v4.f32"
; ERROR-SAME: {{^}} is not supported on the CPU device{{$}}
; ERROR-NOT: error
define ptx_kernel void @_Z1kPi(ptr %p) {
  %v = call i32 @_Z6kerneli(i32 1)
  store i32 %v, ptr %p
  ret void
}
define i32 @_Z6kerneli(i32 %x) !dbg !5 {
  %v = call i32 asm "{ .reg .b32 t; add.u32 t, $1, 1; frobnicate.v4.f32 $0, t; }", "=r,r"(i32 %x), !dbg !8
  ret i32 %v
}
; Nothing calls this.
define i32 @_Z4deadi(i32 %x) {
  %v = call i32 asm "frobnicate.v4.f32 $0, $1;", "=r,r"(i32 %x)
  ret i32 %v
}

; A loop made of labels; each copy of an asm has labels of its own.
; CHECK-LABEL: define internal i32 @gasan.ptx.{{[0-9]+}}.device(i32 %0)
; CHECK: [[LOOP:[0-9]+]]:
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}
; CHECK: br label %[[LOOP]]
define i32 @_Z4loopi(i32 %x) {
  %v = call i32 asm "{ .reg .pred p; mov.u32 $0, 0; again_${:uid}: add.u32 $0, $0, 1; setp.lt.u32 p, $0, $1; @p bra again_${:uid}; }", "=&r,r"(i32 %x)
  ret i32 %v
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "unknown.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "kernel", linkageName: "_Z6kerneli", file: !1, line: 6, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 7, column: 3, scope: !5)
