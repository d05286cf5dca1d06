; A check that was made from the source (of an index into an array in a struct) is a claim, too: the index is good.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck --check-prefix=IR %s <%t.ll

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @__gasan_source_fault(ptr captures(none), i64, i32, ptr captures(none), i64) noreturn nounwind

; The proven variant has no check, and is the code without the sanitizer. The bounded variant makes it if its bit is set.
; CHECK-LABEL: kernel field: 2 claims, 0 checks in all variants
; CHECK: proven at launch if the index u64(threadIdx.x), of 8, is in bounds
; IR-LABEL: define ptx_kernel void @field(
; IR: call void @__gasan_report_bounds({{.*}}, i64 32, i32
; IR-LABEL: define ptx_kernel void @__gasan_bounded_field(
; IR-NEXT: %[[BIT:.*]] = and i64 %gasan.failed, 2
; IR-NEXT: %[[ON:.*]] = icmp ne i64 %[[BIT]], 0
; IR: %bad = icmp ugt i32 %t, 7
; IR: %[[FAILS:.*]] = and i1 %bad, %[[ON]]
; IR: br i1 %[[FAILS]], label %fault, label %good
; IR: call void @__gasan_report_bounds({{.*}}, i64 32, i32
; IR-LABEL: define ptx_kernel void @__gasan_proven_field(
; IR-NOT: gasan
; IR-NOT: br
; IR: ret void
define ptx_kernel void @field(ptr %record) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %array = getelementptr i8, ptr %record, i64 4
  %p = getelementptr i32, ptr %array, i64 %w
  %bad = icmp ugt i32 %t, 7
  br i1 %bad, label %fault, label %good
fault:
  call void @__gasan_source_fault(ptr %p, i64 4, i32 1, ptr %array, i64 32)
  unreachable
good:
  store i32 1, ptr %p, align 4
  ret void
}

; Two rounds of an unrolled loop share the report. The second round's index is less than 8 if it is less than 4 before.
; CHECK-LABEL: kernel rounds: 4 claims, 0 checks in all variants
; CHECK: proven at launch if the index {{.*}} + 4){{.*}}, of 8, is in bounds
; CHECK: proven at launch if the index u64(threadIdx.x), of 8, is in bounds
; IR-LABEL: define ptx_kernel void @__gasan_proven_rounds(
; IR-NOT: gasan
; IR: ret void
define ptx_kernel void @rounds(ptr %record) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %record, i64 %w
  %bad = icmp ugt i32 %t, 7
  br i1 %bad, label %fault, label %good
fault:
  %q = phi ptr [ %p, %0 ], [ %p2, %good ]
  call void @__gasan_source_fault(ptr %q, i64 4, i32 1, ptr %record, i64 32)
  unreachable
good:
  store i32 1, ptr %p, align 4
  %t2 = add i32 %t, 4
  %w2 = zext i32 %t2 to i64
  %p2 = getelementptr i32, ptr %record, i64 %w2
  %bad2 = icmp ugt i32 %t2, 7
  br i1 %bad2, label %fault, label %better
better:
  store i32 1, ptr %p2, align 4
  ret void
}

; The report may be the branch's second way, and good indices need not begin with 0.
; CHECK-LABEL: kernel inverted: {{[0-9]+}} claims, 0 checks in all variants
; CHECK: proven at launch if the index {{.*}}, of 12, is in bounds
define ptx_kernel void @inverted(ptr %record, i32 %from) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %from
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %record, i64 %w
  %moved = add i32 %i, -1
  %ok = icmp ult i32 %moved, 12
  br i1 %ok, label %good, label %fault
fault:
  call void @__gasan_source_fault(ptr %p, i64 4, i32 1, ptr %record, i64 64)
  unreachable
good:
  store i32 1, ptr %p, align 4
  ret void
}

; Nothing bounds a number from memory, and a flag is no index.
; CHECK-LABEL: kernel unknown: 2 claims, 1 checks in all variants
; CHECK: checked: an array's index or a variable's scope in the source
; IR-LABEL: define ptx_kernel void @__gasan_proven_unknown(
; IR: call void @__gasan_report_bounds({{.*}}, i64 32, i32
define ptx_kernel void @unknown(ptr %record, ptr %indices) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %from = getelementptr i32, ptr %indices, i64 %w
  %i = load i32, ptr %from, align 4
  %p = getelementptr i32, ptr %record, i64 %w
  %bad = icmp ugt i32 %i, 7
  br i1 %bad, label %fault, label %good
fault:
  call void @__gasan_source_fault(ptr %p, i64 4, i32 1, ptr %record, i64 32)
  unreachable
good:
  store i32 1, ptr %p, align 4
  ret void
}

; A report that is reached in another way, too, stays.
; CHECK-LABEL: kernel other_way: {{.*}} 1 checks in all variants
; CHECK: checked: an array's index or a variable's scope in the source
define ptx_kernel void @other_way(ptr %record, i1 %flag) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %record, i64 %w
  br i1 %flag, label %other, label %test
other:
  store i32 2, ptr %record, align 4
  br label %fault
test:
  %bad = icmp ugt i32 %t, 7
  br i1 %bad, label %fault, label %good
fault:
  call void @__gasan_source_fault(ptr %p, i64 4, i32 1, ptr %record, i64 32)
  unreachable
good:
  store i32 1, ptr %p, align 4
  ret void
}
