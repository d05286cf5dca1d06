; Pointers into a structure that is passed by value go through a phi in a loop, which only loads. The number behind them
; is still known. In the other kernel, something is stored through the phi.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: kernel walked: 1 claims, 1 checks in all variants
; CHECK: proven at launch if a + {{.*}}where < s@12
define ptx_kernel void @walked(ptr byval([16 x i8]) align 4 %s, ptr %a) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i8, ptr %s, i64 12
  %n = load i32, ptr %place, align 4
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %loop, label %done
loop:
  %p = phi ptr [ %s, %entry ], [ %next, %loop ]
  %value = load i32, ptr %p, align 4
  %next = getelementptr i8, ptr %p, i64 4
  %more = icmp slt i32 %value, %t
  br i1 %more, label %loop, label %store
store:
  %w = zext i32 %t to i64
  %q = getelementptr i32, ptr %a, i64 %w
  store i32 %value, ptr %q, align 4
  br label %done
done:
  ret void
}

; CHECK-LABEL: kernel written: 0 claims
define ptx_kernel void @written(ptr byval([16 x i8]) align 4 %s, ptr %a) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %p = phi ptr [ %s, %entry ], [ %next, %loop ]
  store i32 %t, ptr %p, align 4
  %next = getelementptr i8, ptr %p, i64 4
  %place = getelementptr i8, ptr %s, i64 12
  %n = load i32, ptr %place, align 4
  %more = icmp slt i32 %n, %t
  br i1 %more, label %loop, label %test
test:
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %store, label %done
store:
  %w = sext i32 %n to i64
  %q = getelementptr i32, ptr %a, i64 %w
  store i32 1, ptr %q, align 4
  br label %done
done:
  ret void
}
