; Variants of kernels with local arrays report without calls, in the global space; other kernels, and the one for all launches, call.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=OTHERS < %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-inline-reports=false -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @elsewhere()

; CHECK-LABEL: define ptx_kernel void @__gasan_fast_with_array(
; CHECK-NOT: call {{.*}}gasan
; CHECK: addrspacecast ptr addrspace(1) %{{.*}} to ptr
; CHECK-NOT: call {{.*}}gasan
; CHECK: call void @llvm.nvvm.exit()
; CHECK-NOT: call {{.*}}gasan
; CHECK: {{^}}}

; OTHERS-LABEL: define ptx_kernel void @with_array(
; OTHERS: call void @__gasan_report_bounds
; OTHERS-LABEL: define ptx_kernel void @__gasan_fast_without(
; OTHERS: call void @__gasan_report_bounds
; OTHERS-LABEL: define ptx_kernel void @__gasan_fast_with_call(
; OTHERS: call void @__gasan_report_bounds

; OFF-LABEL: define ptx_kernel void @__gasan_fast_with_array(
; OFF: call void @__gasan_report_bounds
define ptx_kernel void @with_array(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %array = alloca [8 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %low = and i32 %x, 7
  %k = zext i32 %low to i64
  %q = getelementptr i32, ptr %array, i64 %k
  store i32 %t, ptr %q, align 4
  %y = load i32, ptr %array, align 4
  %y.w = zext i32 %y to i64
  %r = getelementptr i32, ptr %to, i64 %y.w
  store i32 1, ptr %r, align 4
  ret void
}

define ptx_kernel void @without(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %to, i64 %k
  store i32 1, ptr %q, align 4
  ret void
}

define ptx_kernel void @with_call(ptr %from, ptr %to) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
  %array = alloca [8 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x = load i32, ptr %p, align 4
  %low = and i32 %x, 7
  %k = zext i32 %low to i64
  %q = getelementptr i32, ptr %array, i64 %k
  store i32 %t, ptr %q, align 4
  call void @elsewhere()
  %y = load i32, ptr %array, align 4
  %y.w = zext i32 %y to i64
  %r = getelementptr i32, ptr %to, i64 %y.w
  store i32 1, ptr %r, align 4
  ret void
}
