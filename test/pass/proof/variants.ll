; The proven variant: the kernel without the claimed checks, with the bounds of the other checks' pointers as arguments.
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -gasan-hidden-arguments=false -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=LOOKUP
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=off \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -gasan-strict-temporal -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt_gasan -gasan-mode=bst -gasan-index-checks=false -gasan-batch-checks=false -gasan-launch-proof=on \
; RUN:   -gasan-tags=on -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; RUN: not %opt_gasan -gasan-mode=bst -gasan-launch-proof=perhaps -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BAD
; OFF-NOT: __gasan_proven_
; OFF-NOT: @__gasan_proofs
; BAD: gasan: -gasan-launch-proof=perhaps: choose on or off

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)


%struct.view = type { ptr, i32 }

; CHECK: @__gasan_proofs = addrspace(1) constant

; All checks are claimed: no lookup and no comparison. The kernel itself has the code that it has without variants.
; CHECK: define weak_odr ptx_kernel void @proven(ptr noundef %a) #[[ATTR:[0-9]+]] {
; CHECK: call {{.*}} @__gasan_bounds_global(
; CHECK: call void @__gasan_report_bounds
; CHECK: define weak_odr ptx_kernel void @__gasan_proven_proven(ptr noundef %a) #[[ATTR]] {
; CHECK-NOT: call {{.*}}@__gasan
; CHECK: ret void
define weak_odr ptx_kernel void @proven(ptr noundef %a) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @__gasan_proven_gather(
; CHECK-SAME: ptr %a, ptr %index, i64 %gasan.base, i64 %gasan.size)
; CHECK-NOT: @__gasan_bounds
; CHECK: call void @__gasan_report_bounds({{.*}}, i64 %gasan.base, i64 %gasan.size, i32 -246)
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
; LOOKUP-LABEL: define ptx_kernel void @__gasan_proven_gather(
; LOOKUP-SAME: ptr %a, ptr %index)
; LOOKUP: call {{.*}} @__gasan_bounds_global(
; LOOKUP-NOT: call {{.*}} @__gasan_bounds_global(
; LOOKUP: ret void
define ptx_kernel void @gather(ptr %a, ptr %index) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %index, i64 %i
  %x = load i32, ptr %p, align 4
  %j = sext i32 %x to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 1, ptr %q, align 1
  ret void
}

; A member of a structure is an ordinary argument.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_member(
; CHECK-SAME: ptr byval(%struct.view) align 8 %v, ptr %index, i64 %gasan.base, i64 %gasan.size)
; CHECK-NOT: @__gasan_bounds
; CHECK: ret void
define ptx_kernel void @member(ptr byval(%struct.view) align 8 %v, ptr %index) sanitize_address {
  %x = load i32, ptr %index, align 4
  %a = load ptr, ptr %v, align 8
  %j = sext i32 %x to i64
  %q = getelementptr i8, ptr %a, i64 %j
  store i8 1, ptr %q, align 1
  ret void
}

; Unless the kernel writes to it: then the loaded value is unknown. (Only %index is claimed.)
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_written(
; CHECK-SAME: ptr byval(%struct.view) align 8 %v, ptr %index)
; CHECK: call {{.*}} @__gasan_bounds(
; CHECK: ret void
define ptx_kernel void @written(ptr byval(%struct.view) align 8 %v, ptr %index) sanitize_address {
  %x = load ptr, ptr %index, align 8
  store ptr %x, ptr %v, align 8
  %a = load ptr, ptr %v, align 8
  store i8 1, ptr %a, align 1
  ret void
}

; No claims and no hidden arguments.
; CHECK-NOT: @__gasan_proven_nothing
define ptx_kernel void @nothing(i64 %address) sanitize_address {
  %p = inttoptr i64 %address to ptr
  store i8 1, ptr %p, align 1
  ret void
}

; No claims, but half of the lookups are saved.
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_given(
; CHECK-SAME: i64 %address, ptr %a, i64 %gasan.base{{[0-9]*}}, i64 %gasan.size{{[0-9]*}})
define ptx_kernel void @given(i64 %address, ptr %a) sanitize_address {
  %p = inttoptr i64 %address to ptr
  %x = load i64, ptr %p, align 8
  %q = getelementptr i8, ptr %a, i64 %x
  store i8 1, ptr %q, align 1
  ret void
}

; One lookup in addition to those of a loop does not justify another kernel.
; CHECK-NOT: @__gasan_proven_given_little
define ptx_kernel void @given_little(i64 %address, ptr %a) sanitize_address {
entry:
  %first = inttoptr i64 %address to ptr
  br label %loop
loop:
  %list = phi ptr [ %first, %entry ], [ %next, %loop ]
  %p = load ptr, ptr %list, align 8
  %q = load ptr, ptr %p, align 8
  %next = load ptr, ptr %q, align 8
  %end = icmp eq ptr %next, null
  br i1 %end, label %done, label %loop
done:
  %x = load i64, ptr %list, align 8
  %r = getelementptr i8, ptr %a, i64 %x
  store i8 1, ptr %r, align 1
  ret void
}

attributes #0 = { sanitize_address "nvvm.maxntid"="128" "nvvm.minctasm"="2" }
