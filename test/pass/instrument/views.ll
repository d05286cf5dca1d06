; Accesses through texture and surface objects: one lookup where the object's number is defined, one check at each
; access to a surface; a texture is only tested once: whether it was destroyed.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES
; RUN: %opt_gasan -passes=gasan-instrument,verify -gasan-mode=bst -gasan-launch-proof=on -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.suld.2d.i32.trap(i64, i32, i32)
declare void @llvm.nvvm.sust.b.2d.array.v2i32.clamp(i64, i32, i32, i32, i32, i32)
declare { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64, float, float)

; The module's flag for the table: GASAN_FLAG_VIEWS.
; CHECK: @__gasan_params = {{.*}} i32 16 }

; The lookup is at the function's start, not in the branch; the second access uses it, too. (GASAN_OBJECT codes are the
; callee's.)
; CHECK-LABEL: define i32 @twice(
; CHECK-NEXT: %[[SLOT:.*]] = call ptr @__gasan_find_surface(i64 %s)
; CHECK: %[[FAULT:.*]] = call i32 @__gasan_surface_fault(ptr %[[SLOT]], i32 %x, i32 %y, i32 0, i32 4, i32 1)
; CHECK-NEXT: %[[BAD:.*]] = icmp ne i32 %[[FAULT]], 0
; CHECK-NEXT: br i1 %[[BAD]], label %[[COLD:.*]], label %[[GOOD:.*]], !prof
; CHECK: [[COLD]]:
; CHECK-NEXT: call void @__gasan_report_view(i64 %s, ptr %[[SLOT]], i32 %x, i32 %y, i32 0, i32 4, i32 0, i32 %[[FAULT]])
; CHECK-NEXT: unreachable
; CHECK: [[GOOD]]:
; CHECK-NEXT: call i32 asm "suld.b.2d.b32.trap
; CHECK-NOT: __gasan_find_surface
; CHECK: call i32 @__gasan_surface_fault(ptr %[[SLOT]], i32 %y, i32 %x, i32 0, i32 16, i32 1)
; CHECK: sust.b.2d.v4.b32.trap
; SITES: 1 accesses without a check
; SITES: site 0 READ 4
; SITES: site 1 WRITE 16
define i32 @twice(i64 %s, i32 %x, i32 %y, i1 %c) "gasan-sanitize" {
  br i1 %c, label %access, label %end
access:
  %v = call i32 asm "suld.b.2d.b32.trap {$0}, [$1, {$2, $3}];", "=r,l,r,r"(i64 %s, i32 %x, i32 %y)
  call void asm sideeffect "sust.b.2d.v4.b32.trap [$0, {$1, $2}], {$3, $3, $3, $3};", "l,r,r,r"(i64 %s, i32 %y, i32 %x, i32 %v)
  br label %end
end:
  ret i32 0
}

; Layers come first in PTX and are z; x counts bytes for every shape. Clamped coordinates are never outside.
; CHECK-LABEL: define void @shapes(
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 0, i32 0, i32 1, i32 1)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 %z, i32 8, i32 0)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 0, i32 %z, i32 2, i32 0)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 %z, i32 8, i32 1)
define void @shapes(i64 %s, i32 %x, i32 %y, i32 %z) "gasan-sanitize" {
  %a = call i8 asm "suld.b.1d.b8.trap {$0}, [$1, {$2}];", "=h,l,r"(i64 %s, i32 %x)
  %b = call i64 asm "suld.b.3d.b64.clamp {$0}, [$1, {$2, $3, $4, $4}];", "=l,l,r,r,r"(i64 %s, i32 %x, i32 %y, i32 %z)
  call void asm sideeffect "sust.b.a1d.b16.zero [$0, {$2, $1}], {$3};", "l,r,r,h"(i64 %s, i32 %x, i32 %z, i16 1)
  %c = call { float, float } asm "suld.b.a2d.v2.b32.trap {$0, $1}, [$2, {$5, $3, $4, $4}];", "=f,=f,l,r,r,r"(i64 %s, i32 %x, i32 %y, i32 %z)
  ret void
}

; Formatted stores count elements (size 0), without bounds they mean trap; reductions; a predicate.
; CHECK-LABEL: define void @others(
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 0, i32 0, i32 1)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 0, i32 4, i32 1)
; CHECK: %[[BAD:.*]] = icmp ne i32 %{{.*}}, 0
; CHECK: sured.b.add
; CHECK: %[[FAULT:.*]] = call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 0, i32 0, i32 4, i32 1)
; CHECK-NEXT: %[[BAD2:.*]] = icmp ne i32 %[[FAULT]], 0
; CHECK-NEXT: and i1 %{{.*}}, %[[BAD2]]
; SITES: ATOMIC 4
define void @others(i64 %s, i32 %x, i32 %y) "gasan-sanitize" {
  call void asm sideeffect "sust.p.2d.v4.b32 [$0, {$1, $2}], {$1, $1, $1, $1};", "l,r,r"(i64 %s, i32 %x, i32 %y)
  call void asm sideeffect "sured.b.add.2d.u32.trap [$0, {$1, $2}], $1;", "l,r,r"(i64 %s, i32 %x, i32 %y)
  call void asm sideeffect "{ .reg .pred p; setp.ne.u32 p, $2, 0; @p sust.b.1d.b32.trap [$0, {$1}], {$2}; }", "l,r,r"(i64 %s, i32 %x, i32 %y)
  ret void
}

; CHECK-LABEL: define i32 @intrinsics(
; CHECK-DAG: %[[TEXTURE:.*]] = call ptr @__gasan_find_dead_texture(i64 %s)
; CHECK-DAG: call ptr @__gasan_find_surface(i64 %s)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 0, i32 4, i32 1)
; CHECK: call i32 @__gasan_surface_fault(ptr %{{.*}}, i32 %x, i32 %y, i32 %z, i32 8, i32 0)
; CHECK: icmp ne ptr %[[TEXTURE]], null
define i32 @intrinsics(i64 %s, i32 %x, i32 %y, i32 %z) "gasan-sanitize" {
  %v = call i32 @llvm.nvvm.suld.2d.i32.trap(i64 %s, i32 %x, i32 %y)
  call void @llvm.nvvm.sust.b.2d.array.v2i32.clamp(i64 %s, i32 %z, i32 %x, i32 %y, i32 %v, i32 %v)
  %t = call { float, float, float, float } @llvm.nvvm.tex.unified.2d.v4f32.f32(i64 %s, float 0.0, float 0.0)
  ret i32 %v
}

; The first fetch is before the second, so one check suffices; the number from memory is another one.
; CHECK-LABEL: define float @textures(
; CHECK-NEXT: %[[DEAD:.*]] = call ptr @__gasan_find_dead_texture(i64 %t)
; CHECK-NEXT: %[[BAD:.*]] = icmp ne ptr %[[DEAD]], null
; CHECK-NEXT: br i1 %[[BAD]]
; CHECK: call void @__gasan_report_view(i64 %t, ptr %[[DEAD]], i32 0, i32 0, i32 0, i32 0, i32 {{[0-9]+}}, i32 -244)
; CHECK: tex.1d.v4.f32.s32
; CHECK-NOT: __gasan_find
; CHECK: tld4.r.2d
; CHECK: %number = load i64
; CHECK-NEXT: call ptr @__gasan_find_dead_texture(i64 %number)
define float @textures(i64 %t, ptr %p, i32 %i, float %x) "gasan-sanitize" {
  %a = call { float, float, float, float } asm "tex.1d.v4.f32.s32\09{$0, $1, $2, $3}, [$4, {$5}];", "=f,=f,=f,=f,l,r"(i64 %t, i32 %i)
  %b = call { float, float, float, float } asm "tld4.r.2d.v4.f32.f32\09{$0, $1, $2, $3}, [$4, {$5, $5}];", "=f,=f,=f,=f,l,f"(i64 %t, float %x)
  %number = load i64, ptr %p, !nosanitize !0
  %c = call { float, float, float, float } asm "tex.level.2d.v4.f32.f32\09{$0, $1, $2, $3}, [$4, {$5, $5}], $5;", "=f,=f,=f,=f,l,f"(i64 %number, float %x)
  ret float 0.0
}

; Not checked: functions without the mark, instructions with !nosanitize, queries, and coordinates that only the asm
; knows, which are counted.
; CHECK-LABEL: define void @alone(
; CHECK-NOT: __gasan_
; CHECK: ret void
define void @alone(i64 %s, i32 %x) {
  %v = call i32 asm "suld.b.1d.b32.trap {$0}, [$1, {$2}];", "=r,l,r"(i64 %s, i32 %x)
  ret void
}
; CHECK-LABEL: define void @unknown(
; CHECK-NOT: __gasan_surface_fault
; CHECK: ret void
define void @unknown(i64 %s) "gasan-sanitize" {
  %w = call i32 asm "suq.width.b32 $0, [$1];", "=r,l"(i64 %s)
  call void asm sideeffect "sust.b.1d.b32.trap [$0, {$1}], {$1};", "l,r"(i64 %s, i32 0), !nosanitize !0
  call void asm sideeffect "{ .reg .b32 x; mov.u32 x, %clock; sust.b.1d.b32.trap [$0, {x}], {x}; }", "l"(i64 %s)
  ret void
}

!0 = !{}
