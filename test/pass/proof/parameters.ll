; A variant with more parameters than ptxas accepts is not made; the kernel with all checks is. (Variants get the bounds
; of pointers. ptxas accepts 32,764 bytes of parameters; before CUDA 12.1 it accepted 4,096.)
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-index-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s -o %t.ll
; RUN: grep -o '^define .*ptx_kernel void @[a-z_0-9]*' %t.ll | sed 's/.*@//' | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Two pointers' bounds and the mask of the claims are 40 bytes; the proven variant needs none.
; CHECK: takes_507
; CHECK-NEXT: __gasan_bounded_takes_507
; CHECK-NEXT: __gasan_proven_takes_507
; CHECK-NEXT: takes_508
; CHECK-NEXT: __gasan_proven_takes_508
; CHECK-NEXT: takes_4090
; CHECK-NEXT: __gasan_bounded_takes_4090
; CHECK-NEXT: __gasan_proven_takes_4090
; CHECK-NEXT: takes_4091
; CHECK-NEXT: __gasan_proven_takes_4091
; CHECK-NOT: {{.}}

%args_507 = type { [507 x ptr] }
define ptx_kernel void @takes_507(ptr byval(%args_507) align 8 %all) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %to = load ptr, ptr %all, align 8
  %second = getelementptr i8, ptr %all, i64 8
  %from = load ptr, ptr %second, align 8
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %to, i64 %w
  store i32 %x, ptr %q, align 4
  ret void
}

%args_508 = type { [508 x ptr] }
define ptx_kernel void @takes_508(ptr byval(%args_508) align 8 %all) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %to = load ptr, ptr %all, align 8
  %second = getelementptr i8, ptr %all, i64 8
  %from = load ptr, ptr %second, align 8
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %to, i64 %w
  store i32 %x, ptr %q, align 4
  ret void
}

%args_4090 = type { [4090 x ptr] }
define ptx_kernel void @takes_4090(ptr byval(%args_4090) align 8 %all) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %to = load ptr, ptr %all, align 8
  %second = getelementptr i8, ptr %all, i64 8
  %from = load ptr, ptr %second, align 8
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %to, i64 %w
  store i32 %x, ptr %q, align 4
  ret void
}

%args_4091 = type { [4091 x ptr] }
define ptx_kernel void @takes_4091(ptr byval(%args_4091) align 8 %all) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %to = load ptr, ptr %all, align 8
  %second = getelementptr i8, ptr %all, i64 8
  %from = load ptr, ptr %second, align 8
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %q = getelementptr i32, ptr %to, i64 %w
  store i32 %x, ptr %q, align 4
  ret void
}
