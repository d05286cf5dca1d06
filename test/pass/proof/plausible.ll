; A formula that has every value in each ordinary launch makes no claim: its check remains, and the others are left out.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument -S \
; RUN:   %s 2>&1 >/dev/null | FileCheck %s --check-prefix=TEXT

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@length = internal addrspace(3) global i32 undef

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; A division by 0 has any result.
; TEXT: kernel divided: 1 claims, 1 checks in all variants
; TEXT: proven at launch if a + (u64(threadIdx.x) * 4), 4 bytes, is in bounds
; TEXT: checked: in ordinary launches nothing shows that b + (u64((n /u threadIdx.x)) * 4), 4 bytes, is in bounds
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_divided(
; CHECK-NOT: call {{.*}} @__gasan_bounds
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define ptx_kernel void @divided(ptr %a, ptr %b, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  store i32 1, ptr %p, align 4
  %d = udiv i32 %n, %t
  %j = zext i32 %d to i64
  %q = getelementptr i32, ptr %b, i64 %j
  store i32 1, ptr %q, align 4
  ret void
}

; Not bounded for all n, or if the loop's limits are in another order, but for some: that is a claim.
; TEXT: kernel loop: 1 claims, 0 checks in all variants
; CHECK-LABEL: define ptx_kernel void @__gasan_proven_loop(
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: ret void
define ptx_kernel void @loop(ptr %a, i32 %begin, i32 %end) sanitize_address {
entry:
  br label %round
round:
  %i = phi i32 [ %begin, %entry ], [ %next, %round ]
  %wide = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %wide
  store i32 1, ptr %p, align 4
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %end
  br i1 %done, label %exit, label %round
exit:
  ret void
}

; Any 16-bit number times 4 is no likely offset, but any byte is a likely index.
; TEXT-LABEL: kernel short: 3 claims, 1 checks in all variants
; TEXT: checked: nothing bounds to + (u64(<load>) * 4), 4 bytes,
; TEXT: proven at launch if to + (u64(<load>) * 4), 4 bytes, is in bounds
define ptx_kernel void @short(ptr %to, ptr %from, ptr %bytes) sanitize_address {
  %i = load i16, ptr %from, align 2
  %w = zext i16 %i to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 1, ptr %p, align 4
  %b = load i8, ptr %bytes, align 1
  %v = zext i8 %b to i64
  %q = getelementptr i32, ptr %to, i64 %v
  store i32 1, ptr %q, align 4
  ret void
}

; The last tile has a length that another thread has computed. Its accesses are checked, those of full tiles proven.
; TEXT-LABEL: kernel last_tile: 1 claims, 1 checks in all variants
; TEXT: proven at launch if to +
; TEXT: checked: a test with a number of other threads bounds it
define ptx_kernel void @last_tile(ptr %to, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %to, i64 %w
  %is.full = icmp sgt i32 %n, 1024
  br i1 %is.full, label %full, label %last
full:
  store i32 1, ptr %p, align 4
  br label %exit
last:
  %valid = load volatile i32, ptr addrspace(3) @length, align 4
  %is.valid = icmp slt i32 %t, %valid
  br i1 %is.valid, label %then, label %exit
then:
  store i32 2, ptr %p, align 4
  br label %exit
exit:
  ret void
}

; The same, with a length of 64 bits that a warp's threads exchange in two halves.
; TEXT-LABEL: kernel exchanged: 0 claims, 1 checks in all variants
; TEXT: checked: a test with a number of other threads bounds it
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
define ptx_kernel void @exchanged(ptr %to, i32 %high, i32 %low) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr i32, ptr %to, i64 %w
  %a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %high, i32 0, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %low, i32 0, i32 31)
  %upper = zext i32 %a to i64
  %lower = zext i32 %b to i64
  %shifted = shl i64 %upper, 32
  %valid = or i64 %shifted, %lower
  %is.valid = icmp ult i64 %w, %valid
  br i1 %is.valid, label %then, label %exit
then:
  store i32 2, ptr %p, align 4
  br label %exit
exit:
  ret void
}
