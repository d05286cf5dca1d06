; A kernel whose time is spent in functions that it calls gets no variants: they would save few of the checks, and ptxas
; takes disproportionate time for each kernel that calls functions.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-NOT: @__gasan_proven_little
; CHECK-NOT: @__gasan_bounded_little
; CHECK-DAG: define ptx_kernel void @__gasan_proven_much
; CHECK-DAG: define ptx_kernel void @__gasan_bounded_much
; CHECK-NOT: @__gasan_proven_little
; CHECK-NOT: @__gasan_bounded_little

; Eight rounds are assumed.
define i32 @work(ptr %p, i32 %n) noinline sanitize_address {
entry:
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %sum = phi i32 [ 0, %entry ], [ %more, %round ]
  %w = zext i32 %i to i64
  %q = getelementptr i32, ptr %p, i64 %w
  %v = load i32, ptr %q, align 4
  %more = add i32 %sum, %v
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %round, label %done
done:
  ret i32 %more
}

; One claimed access beside a loop that calls the function.
define ptx_kernel void @little(ptr %to, ptr %from, i32 %n) sanitize_address {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %after, %inner.done ]
  br label %round
round:
  %i = phi i32 [ 0, %outer ], [ %next, %round ]
  %v = call i32 @work(ptr %from, i32 %i)
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %round, label %inner.done
inner.done:
  %after = add i32 %j, 1
  %once.more = icmp ult i32 %after, %n
  br i1 %once.more, label %outer, label %done
done:
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 %v, ptr %p, align 4
  ret void
}

; One call beside a loop of claimed accesses.
define ptx_kernel void @much(ptr %to, ptr %from, i32 %n) sanitize_address {
entry:
  %v = call i32 @work(ptr %from, i32 %n)
  br label %outer
outer:
  %j = phi i32 [ 0, %entry ], [ %after, %inner.done ]
  br label %round
round:
  %i = phi i32 [ 0, %outer ], [ %next, %round ]
  %k = xor i32 %i, %j
  %w = zext i32 %k to i64
  %p = getelementptr i32, ptr %to, i64 %w
  store i32 %v, ptr %p, align 4
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 64
  br i1 %again, label %round, label %inner.done
inner.done:
  %after = add i32 %j, 1
  %once.more = icmp ult i32 %after, 64
  br i1 %once.more, label %outer, label %done
done:
  ret void
}
