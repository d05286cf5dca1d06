; Indices that are made of numbers in floating point.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o /dev/null 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.floor.f32(float)
declare i32 @llvm.nvvm.f2i.rp(float)
declare i32 @llvm.nvvm.d2i.lo(double)
declare double @llvm.copysign.f64(double, double)

; A coordinate of a scaled image, with and without another rounding.
; CHECK-LABEL: kernel scaled: 2 claims, 0 checks in all variants
; CHECK: proven at launch if to + (s64(s32(max((((f32(threadIdx.x) + 0.5) *fused s) - 0.5), 0))) * 4), 4 bytes
; CHECK: proven at launch if to + (s64(s32(ceil(((f32(threadIdx.x) + 0.5) *fused s)))) * 4), 4 bytes
define ptx_kernel void @scaled(ptr %to, float %s) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = sitofp i32 %t to float
  %middle = fadd contract float %f, 0.5
  %product = fmul contract float %middle, %s
  %back = fsub contract float %product, 0.5
  %x = call float @llvm.maxnum.f32(float %back, float 0.0)
  %i = fptosi float %x to i32
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %j = call i32 @llvm.nvvm.f2i.rp(float %product)
  %v = sext i32 %j to i64
  %q = getelementptr i32, ptr %to, i64 %v
  store i32 1, ptr %q, align 4
  ret void
}

; A product that no addition follows is rounded for certain.
; CHECK-LABEL: kernel rounded: 1 claims, 0 checks in all variants
; CHECK: proven at launch if to + (s64(s32((f32(threadIdx.x) * s))) * 4), 4 bytes
define ptx_kernel void @rounded(ptr %to, float %s) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = sitofp i32 %t to float
  %product = fmul contract float %f, %s
  %i = fptosi float %product to i32
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  ret void
}

; Any number, between bounds: NaN is the lower one.
; CHECK-LABEL: kernel clamped: 2 claims, 0 checks in all variants
; CHECK: proven at launch if to + (u64(u32(min(max(<load>, 0), 255))) * 4), 4 bytes
define ptx_kernel void @clamped(ptr %to, ptr %from) sanitize_address {
  %number = load float, ptr %from, align 4
  %least = call float @llvm.maxnum.f32(float %number, float 0.0)
  %most = call float @llvm.minnum.f32(float %least, float 255.0)
  %i = fptoui float %most to i32
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  ret void
}

; Tests bound a number, unless they hold for NaN, too.
; CHECK-LABEL: kernel tested: 2 claims, 1 checks in all variants
; CHECK: proven at launch if to + (s64(s32(((<load> where >= 0) where <= f32(n)))) * 4), 4 bytes
; CHECK: checked: nothing bounds to + (s64(s32(exact((<load> where < f32(n))))) * 4) + 4, 4 bytes
define ptx_kernel void @tested(ptr %to, ptr %from, i32 %n) sanitize_address {
entry:
  %number = load float, ptr %from, align 4
  %most = sitofp i32 %n to float
  %is.number = fcmp oge float %number, 0.0
  %is.less = fcmp ole float %number, %most
  %both = and i1 %is.number, %is.less
  br i1 %both, label %then, label %else
then:
  %i = fptosi float %number to i32
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  br label %exit
else:
  %may.be.nan = fcmp ult float %number, %most
  br i1 %may.be.nan, label %less, label %exit
less:
  %j = fptosi float %number to i32
  %v = sext i32 %j to i64
  %next = getelementptr i8, ptr %to, i64 4
  %q = getelementptr i32, ptr %next, i64 %v
  store i32 1, ptr %q, align 4
  br label %exit
exit:
  ret void
}

; What the optimiser may replace by other operations, and bits of numbers, give any value.
; CHECK-LABEL: kernel unknown: 0 claims, 4 checks in all variants
; CHECK-COUNT-4: checked: nothing bounds to
define ptx_kernel void @unknown(ptr %to, float %s, double %d) sanitize_address {
  %quick = fadd reassoc float %s, 1.0
  %i = fptosi float %quick to i32
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %j = call i32 @llvm.nvvm.d2i.lo(double %d)
  %v = sext i32 %j to i64
  %q = getelementptr i32, ptr %to, i64 %v
  store i32 2, ptr %q, align 4
  %bits = bitcast float %s to i32
  %u = sext i32 %bits to i64
  %r = getelementptr i32, ptr %to, i64 %u
  store i32 3, ptr %r, align 4
  %inexact = fdiv float 1.0, %s, !fpmath !0
  %k = fptosi float %inexact to i32
  %x = sext i32 %k to i64
  %o = getelementptr i32, ptr %to, i64 %x
  store i32 4, ptr %o, align 4
  ret void
}

!0 = !{float 2.5}
