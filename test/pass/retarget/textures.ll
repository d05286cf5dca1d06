; Texture and surface instructions become calls of the device, with coordinates, layer, level and bounds as arguments.
; RUN: %opt_gasan '-passes=gasan-retarget,always-inline,function(sroa,instsimplify),verify' -gasan-cpu-helpers=%cpu_bc \
; RUN:   -gasan-devices=auto -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=WARN --allow-empty %s < %t.err
target triple = "nvptx64-nvidia-cuda"

; WARN-COUNT-3: is not supported on the CPU device
; WARN-NOT: is not supported

; CHECK-LABEL: define {{.*}}@_Z2k1yffPf
; CHECK: call void @gasan_cpu_texture_fetch(i64 noundef %t, ptr
define void @_Z2k1yffPf(i64 %t, float %x, float %y, ptr %out) "target-cpu"="sm_80" {
  %v = call { float, float, float, float } asm "tex.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}];", "=f,=f,=f,=f,l,f,f"(i64 %t, float %x, float %y)
  %r = extractvalue { float, float, float, float } %v, 3
  store float %r, ptr %out
  ret void
}

; The sparse form's predicate: all texels are resident.
; CHECK-LABEL: define {{.*}}@_Z2k2yPh
; CHECK: call void @gasan_cpu_texture_fetch(i64 noundef %t, ptr
; CHECK: store i8 1, ptr %out
define void @_Z2k2yPh(i64 %t, ptr %out) {
  %v = call { i32, i32, i32, i32, i8 } asm "{.reg .pred %p0;\0A\09tex.level.a2d.v4.u32.f32\09{$0, $1, $2, $3}|%p0, [$5, {$6, $7, $8, $8}], $9;\0A\09 selp.u16 $4, 1, 0, %p0; }", "=r,=r,=r,=r,=h,l,r,f,f,f"(i64 %t, i32 1, float 2.0, float 3.0, float 4.0)
  %r = extractvalue { i32, i32, i32, i32, i8 } %v, 4
  store i8 %r, ptr %out
  ret void
}

; CHECK-LABEL: define {{.*}}@_Z2k3y
; CHECK: store i32 1, ptr [[ACCESS:%.*]], align
; CHECK: store i32 2, ptr
; CHECK: store i32 2, ptr
; CHECK: store i32 2, ptr
; CHECK: call void @gasan_cpu_surface_write(i64 noundef %s, ptr noundef nonnull [[ACCESS]],
define void @_Z2k3y(i64 %s) {
  call void asm sideeffect "sust.b.a1d.v2.b8.zero [$0, {$2, $1}], {$3, $4};", "l,r,r,h,h"(i64 %s, i32 1, i32 2, i8 3, i8 4)
  ret void
}

; CHECK-LABEL: define {{.*}}@_Z2k4yPi
; CHECK: call void @gasan_cpu_surface_read(i64 noundef %s, ptr
define void @_Z2k4yPi(i64 %s, ptr %out) {
  %v = call { i32, i32 } asm "suld.b.3d.v2.b32.clamp {$0, $1}, [$2, {$3, $4, $5, $5}];", "=r,=r,l,r,r,r"(i64 %s, i32 1, i32 2, i32 3)
  %r = extractvalue { i32, i32 } %v, 1
  store i32 %r, ptr %out
  ret void
}

; Bad lengths and shapes that no helper has.
@llvm.used = appending global [1 x ptr] [ptr @_Z2k5yPf], section "llvm.metadata"
define void @_Z2k5yPf(i64 %t, ptr %out) {
  %a = call { float, float } asm "tex.1d.v4.f32.f32 {$0, $1}, [$2, {$3}];", "=f,=f,l,f"(i64 %t, float 1.0)
  %b = call { float, float, float, float } asm "tex.2dms.v4.f32.s32 {$0, $1, $2, $3}, [$4, {$5, $5, $5, $5}];", "=f,=f,=f,=f,l,r"(i64 %t, i32 1)
  call void asm sideeffect "sust.p.1d.b32.trap [$0, {$1}], {$1};", "l,r"(i64 %t, i32 1)
  %r = extractvalue { float, float } %a, 0
  %q = extractvalue { float, float, float, float } %b, 0
  store volatile float %r, ptr %out
  store volatile float %q, ptr %out
  ret void
}
