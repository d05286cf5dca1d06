; The pointer of a small struct by value, which the optimiser loads as an integer, is an argument of the launch.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -S %s -o %t.ll 2>&1 | FileCheck %s
; RUN: FileCheck --check-prefix=IR %s <%t.ll

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

%struct.functor = type { ptr, i64 }

; Each conversion is the pointer that is loaded; other uses have the number of its address.
; CHECK-LABEL: kernel converted: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if functor@0 + (u64(threadIdx.x) * 4), 4 bytes, is in bounds
; CHECK-NEXT: proven at launch if functor@0 + u64(threadIdx.x), 1 bytes, is in bounds
; IR-LABEL: define ptx_kernel void @__gasan_proven_converted(
; IR: %n = load ptr, ptr
; IR-NOT: inttoptr
; IR: ret void
define ptx_kernel void @converted(ptr byval(%struct.functor) align 8 %functor, ptr %out) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i64, ptr %functor, align 8
  %p = inttoptr i64 %n to ptr
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %q, align 4
  %again = inttoptr i64 %n to ptr
  %r = getelementptr i8, ptr %again, i64 %w
  store i8 1, ptr %r, align 1
  %odd = and i64 %n, 1
  %is.odd = icmp eq i64 %odd, 0
  %y = select i1 %is.odd, i32 %x, i32 0
  %end = icmp eq i32 %y, 5
  br i1 %end, label %trap, label %done
trap:
  call void @llvm.trap()
  unreachable
done:
  ret void
}

; A volatile load and one of a number that is no pointer stay.
; IR-LABEL: define void @stays(
; IR: load volatile i64, ptr %a
; IR: load i64, ptr %a
; IR: ret void
define void @stays(ptr %a) sanitize_address {
  %n = load volatile i64, ptr %a, align 8
  %p = inttoptr i64 %n to ptr
  store i8 1, ptr %p, align 1
  %m = load i64, ptr %a, align 8
  %q = getelementptr i8, ptr %a, i64 %m
  store i8 1, ptr %q, align 1
  ret void
}
