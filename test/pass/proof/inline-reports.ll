; Variants of kernels with local arrays or with atomics in loops report without calls and without a branch, in the global space, those with such loops once for
; each check; other kernels, and the one for all launches, call.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: FileCheck %s --check-prefix=OTHERS < %t.ll
; RUN: FileCheck %s --check-prefix=ATOMICS < %t.ll
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

; OTHERS-LABEL: define ptx_kernel void @__gasan_fast_with_many(
; OTHERS: call void @__gasan_report_bounds

; ATOMICS-LABEL: define ptx_kernel void @__gasan_fast_with_atomics(
; ATOMICS-NOT: call {{.*}}gasan
; ATOMICS: atomicrmw umin
; ATOMICS-COUNT-4: cmpxchg
; ATOMICS-NOT: {{(br|switch|phi|call [^@]*@.*gasan)}}
; ATOMICS: store atomic {{.*}} release
; ATOMICS-NEXT: call void @llvm.nvvm.exit()
; ATOMICS: cmpxchg
; ATOMICS: call void @llvm.nvvm.exit()
; ATOMICS-NOT: call {{.*}}gasan
; ATOMICS: {{^}}}

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

define ptx_kernel void @with_atomics(ptr %from, ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x0 = load i32, ptr %p, align 4
  %k0 = zext i32 %x0 to i64
  %q0 = getelementptr i32, ptr %to, i64 %k0
  %x1 = atomicrmw umin ptr %q0, i32 %i monotonic
  %k1 = zext i32 %x1 to i64
  %q1 = getelementptr i32, ptr %to, i64 %k1
  %x2 = atomicrmw umin ptr %q1, i32 %i monotonic
  %k2 = zext i32 %x2 to i64
  %q2 = getelementptr i32, ptr %to, i64 %k2
  %x3 = atomicrmw umin ptr %q2, i32 %i monotonic
  %k3 = zext i32 %x3 to i64
  %q3 = getelementptr i32, ptr %to, i64 %k3
  %x4 = atomicrmw umin ptr %q3, i32 %i monotonic
  %next = add i32 %x4, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define ptx_kernel void @with_many(ptr %from, ptr %to, i32 %n) sanitize_address "target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %from, i64 %w
  %x0 = load i32, ptr %p, align 4
  %k0 = zext i32 %x0 to i64
  %q0 = getelementptr i32, ptr %to, i64 %k0
  %x1 = atomicrmw umin ptr %q0, i32 %i monotonic
  %k1 = zext i32 %x1 to i64
  %q1 = getelementptr i32, ptr %to, i64 %k1
  %x2 = atomicrmw umin ptr %q1, i32 %i monotonic
  %k2 = zext i32 %x2 to i64
  %q2 = getelementptr i32, ptr %to, i64 %k2
  %x3 = atomicrmw umin ptr %q2, i32 %i monotonic
  %k3 = zext i32 %x3 to i64
  %q3 = getelementptr i32, ptr %to, i64 %k3
  %x4 = atomicrmw umin ptr %q3, i32 %i monotonic
  %k4 = zext i32 %x4 to i64
  %q4 = getelementptr i32, ptr %to, i64 %k4
  %x5 = atomicrmw umin ptr %q4, i32 %i monotonic
  %k5 = zext i32 %x5 to i64
  %q5 = getelementptr i32, ptr %to, i64 %k5
  %x6 = atomicrmw umin ptr %q5, i32 %i monotonic
  %k6 = zext i32 %x6 to i64
  %q6 = getelementptr i32, ptr %to, i64 %k6
  %x7 = atomicrmw umin ptr %q6, i32 %i monotonic
  %k7 = zext i32 %x7 to i64
  %q7 = getelementptr i32, ptr %to, i64 %k7
  %x8 = atomicrmw umin ptr %q7, i32 %i monotonic
  %k8 = zext i32 %x8 to i64
  %q8 = getelementptr i32, ptr %to, i64 %k8
  %x9 = atomicrmw umin ptr %q8, i32 %i monotonic
  %k9 = zext i32 %x9 to i64
  %q9 = getelementptr i32, ptr %to, i64 %k9
  %x10 = atomicrmw umin ptr %q9, i32 %i monotonic
  %k10 = zext i32 %x10 to i64
  %q10 = getelementptr i32, ptr %to, i64 %k10
  %x11 = atomicrmw umin ptr %q10, i32 %i monotonic
  %k11 = zext i32 %x11 to i64
  %q11 = getelementptr i32, ptr %to, i64 %k11
  %x12 = atomicrmw umin ptr %q11, i32 %i monotonic
  %k12 = zext i32 %x12 to i64
  %q12 = getelementptr i32, ptr %to, i64 %k12
  %x13 = atomicrmw umin ptr %q12, i32 %i monotonic
  %k13 = zext i32 %x13 to i64
  %q13 = getelementptr i32, ptr %to, i64 %k13
  %x14 = atomicrmw umin ptr %q13, i32 %i monotonic
  %k14 = zext i32 %x14 to i64
  %q14 = getelementptr i32, ptr %to, i64 %k14
  %x15 = atomicrmw umin ptr %q14, i32 %i monotonic
  %k15 = zext i32 %x15 to i64
  %q15 = getelementptr i32, ptr %to, i64 %k15
  %x16 = atomicrmw umin ptr %q15, i32 %i monotonic
  %k16 = zext i32 %x16 to i64
  %q16 = getelementptr i32, ptr %to, i64 %k16
  %x17 = atomicrmw umin ptr %q16, i32 %i monotonic
  %next = add i32 %x17, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
