; Kernels that may wait for another thread have no block entry, and the loops in which they wait let the other threads
; run.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK: @gasan.kernels = {{.*}} ptr @gasan.thread.plain, ptr @gasan.block.plain,
; CHECK-SAME: ptr @gasan.thread.histogram, ptr @gasan.block.histogram,
; CHECK-SAME: ptr @gasan.thread.retry, ptr @gasan.block.retry,
; CHECK-SAME: ptr @gasan.thread.barrier, ptr null,
; CHECK-SAME: ptr @gasan.thread.spin, ptr null,
; CHECK-SAME: ptr @gasan.thread.lock, ptr null,
; CHECK-SAME: ptr @gasan.thread.indirect, ptr null,
; CHECK-SAME: ptr @gasan.thread.mask, ptr null, ptr null, i32 0, i32 1,

define ptx_kernel void @plain(ptr %p) "target-cpu"="sm_80" {
  store i32 1, ptr %p
  ret void
}

; The result of the atomic decides nothing.
; CHECK-LABEL: define internal void @histogram.device(
; CHECK-NOT: gasan_poll
; CHECK: ret void
define ptx_kernel void @histogram(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  %slot = getelementptr i32, ptr %p, i32 %i
  store i32 %old, ptr %slot
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A compare-and-swap that tries again with the value that it saw does not wait.
; CHECK-LABEL: define internal void @retry.device(
; CHECK-NOT: gasan_poll
; CHECK: ret void
define ptx_kernel void @retry(ptr %p) {
entry:
  %first = load i32, ptr %p
  br label %loop
loop:
  %seen = phi i32 [ %first, %entry ], [ %got, %loop ]
  %new = mul i32 %seen, 3
  %pair = cmpxchg ptr %p, i32 %seen, i32 %new seq_cst seq_cst
  %got = extractvalue { i32, i1 } %pair, 0
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret void
}

define void @_Z6deeperv() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}

define ptx_kernel void @barrier() {
  call void @_Z6deeperv()
  ret void
}

; CHECK-LABEL: define internal void @spin.device(
; CHECK: call void @gasan_poll()
; CHECK-NEXT: load volatile i32
define ptx_kernel void @spin(ptr %flag) {
entry:
  br label %loop
loop:
  %v = load volatile i32, ptr %flag
  %zero = icmp eq i32 %v, 0
  br i1 %zero, label %loop, label %end
end:
  ret void
}

; The loop is in the caller.
; CHECK-LABEL: define internal i1 @_Z7trylockPi(
; CHECK: call void @gasan_poll()
; CHECK-NEXT: cmpxchg
define i1 @_Z7trylockPi(ptr %lock) {
  %pair = cmpxchg ptr %lock, i32 0, i32 1 seq_cst seq_cst
  %ok = extractvalue { i32, i1 } %pair, 1
  ret i1 %ok
}

define ptx_kernel void @lock(ptr %lock) {
entry:
  br label %loop
loop:
  %ok = call i1 @_Z7trylockPi(ptr %lock)
  br i1 %ok, label %end, label %loop
end:
  ret void
}

; Any pointer may point to a function that waits.
@table = addrspace(1) externally_initialized global ptr @_Z6deeperv
define ptx_kernel void @indirect() {
  %f = load ptr, ptr addrspace(1) @table
  call void %f()
  ret void
}

; CHECK: define internal i32 @_Z3askv() #[[INLINE:[0-9]+]]
define i32 @_Z3askv() noinline optnone {
  %m = call i32 @llvm.nvvm.activemask()
  ret i32 %m
}

define ptx_kernel void @mask() {
  %m = call i32 @_Z3askv()
  ret void
}

; Lanes are distinguished by the place of their call.
; CHECK: attributes #[[INLINE]] = { alwaysinline uwtable "probe-stack"="inline-asm" }

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.activemask()
