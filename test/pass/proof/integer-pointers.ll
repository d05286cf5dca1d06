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

; A link into one copy of an object becomes one into another copy. Its object is known at run time only.
; CHECK-LABEL: kernel moved: 2 claims, 1 checks in all variants
; IR-LABEL: define ptx_kernel void @moved(
; IR: %[[LINK:.*]] = load i64, ptr %functor
; IR: %near = add i64 %[[LINK]], %way
; IR-NEXT: %other = inttoptr i64 %near to ptr
; IR: ret void
define ptx_kernel void @moved(ptr byval(%struct.functor) align 8 %functor, i64 %from, i64 %to, ptr %out) sanitize_address {
  %n = load i64, ptr %functor, align 8
  %p = inttoptr i64 %n to ptr
  %x = load i32, ptr %p, align 4
  %way = sub i64 %to, %from
  %near = add i64 %n, %way
  %other = inttoptr i64 %near to ptr
  %y = load i32, ptr %other, align 4
  %z = add i32 %x, %y
  store i32 %z, ptr %out, align 4
  ret void
}

; The sum of two numbers is an address of its own: either number may be a distance from the other one.
; CHECK-LABEL: kernel tagged: 2 claims, 1 checks in all variants
; IR-LABEL: define ptx_kernel void @tagged(
; IR: %[[N:.*]] = load i64, ptr %functor
; IR: %sum = add i64 %[[N]], %base
; IR-NEXT: %far = inttoptr i64 %sum to ptr
; IR: ret void
define ptx_kernel void @tagged(ptr byval(%struct.functor) align 8 %functor, i1 %is.address, ptr %out) sanitize_address {
  %n = load i64, ptr %functor, align 8
  %second = getelementptr i8, ptr %functor, i64 8
  %base = load i64, ptr %second, align 8
  br i1 %is.address, label %address, label %distance
address:
  %p = inttoptr i64 %n to ptr
  %x = load i32, ptr %p, align 4
  br label %done
distance:
  %sum = add i64 %n, %base
  %far = inttoptr i64 %sum to ptr
  %y = load i32, ptr %far, align 4
  br label %done
done:
  %z = phi i32 [ %x, %address ], [ %y, %distance ]
  store i32 %z, ptr %out, align 4
  ret void
}
