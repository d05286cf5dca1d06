; Inline PTX that only computes may be copied with its loop, and does not end a group of checks. Clang calls each inline
; asm convergent.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define float @converts(
; CHECK: loop.gasan:
; CHECK: ret float
define float @converts(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm "{ cvt.f32.f16 $0, $1;}\0A", "=f,h"(i16 %half) convergent nounwind memory(none)
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; CHECK-LABEL: define float @compares(
; CHECK: loop.gasan:
; CHECK: ret float
define float @compares(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm "{ .reg .pred p; setp.gt.f16 p, $1, 1.0; selp.f32 $0, 1.0, 0.0, p; }", "=f,h"(i16 %half) convergent nounwind memory(none)
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; CHECK-LABEL: define float @exchanges(
; CHECK-NOT: loop.gasan:
; CHECK: ret float
define float @exchanges(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm "{ .reg .b32 r; cvt.u32.u16 r, $1; shfl.sync.bfly.b32 r, r, 1, 31, -1; mov.b32 $0, r; }", "=f,h"(i16 %half) convergent nounwind memory(none)
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; CHECK-LABEL: define float @jumps(
; CHECK-NOT: loop.gasan:
; CHECK: ret float
define float @jumps(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm "{ .reg .pred p; setp.eq.u16 p, $1, 0; mov.f32 $0, 0.0; @p bra over; mov.f32 $0, 1.0; over: }", "=f,h"(i16 %half) convergent nounwind memory(none)
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; CHECK-LABEL: define float @keeps_order(
; CHECK-NOT: loop.gasan:
; CHECK: ret float
define float @keeps_order(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm sideeffect "cvt.f32.f16 $0, $1;", "=f,h"(i16 %half) convergent nounwind 
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; CHECK-LABEL: define float @reads(
; CHECK-NOT: loop.gasan:
; CHECK: ret float
define float @reads(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %a = getelementptr i16, ptr %p, i64 %i
  %half = load i16, ptr %a, align 1
  %x = call float asm "ld.global.f32 $0, [a];", "=f,h"(i16 %half) convergent nounwind memory(none)
  %more = fadd float %sum, %x
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  ret float %more
}

; Two neighbours are one check, although inline PTX stands between them.
; CHECK-LABEL: define float @neighbours(
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret float
define float @neighbours(ptr %p) sanitize_address {
  %first = load i16, ptr %p, align 1
  %x = call float asm "{ cvt.f32.f16 $0, $1;}", "=f,h"(i16 %first) convergent nounwind memory(none)
  %a = getelementptr i16, ptr %p, i64 1
  %second = load i16, ptr %a, align 1
  %y = call float asm "{ cvt.f32.f16 $0, $1;}", "=f,h"(i16 %second) convergent nounwind memory(none)
  %sum = fadd float %x, %y
  ret float %sum
}
