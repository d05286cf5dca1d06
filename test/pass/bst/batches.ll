; Checks of straight-line code that one branch decides: the checked loads move after the branch.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=OFF
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | llc -mcpu=sm_90 \
; RUN:   | FileCheck %s --check-prefix=PTX

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @escape(ptr)

; One branch. If it fails, the first access is compared again; if that is good, the second one is bad.
; CHECK-LABEL: define i32 @independent(
; CHECK: %[[BAD_A:.*]] = icmp uge i64
; CHECK: %[[BAD_B:.*]] = icmp uge i64
; CHECK: %[[OTHER:.*]] = call i1 asm "", "=b,0"(i1 %[[BAD_B]])
; CHECK: %[[BAD:.*]] = or i1 %[[BAD_A]], %[[OTHER]]
; CHECK: br i1 %[[BAD]], label %[[COLD:.*]], label %[[GOOD:.*]], !prof
; CHECK: [[COLD]]:
; CHECK: br i1 %{{.*}}, label %gasan.report, label %[[NEXT:.*]]
; CHECK: [[NEXT]]:
; CHECK: br i1 true, label %gasan.report
; CHECK: [[GOOD]]:
; CHECK: %x = load
; CHECK: %y = load
; CHECK: ret
; CHECK: gasan.report:
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; OFF-LABEL: define i32 @independent(
; OFF-COUNT-2: call void @__gasan_report_bounds
; OFF: ret
define i32 @independent(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  %s = add i32 %x, %y
  ret i32 %s
}

; Two comparisons take fewer instructions than the maximum of two numbers of 64 bits.
; CHECK-LABEL: define i32 @one_limit(
; OFF-LABEL: define i32 @one_limit(
; PTX-LABEL: .func (.param .b32 func_retval0) one_limit(
; PTX: setp.{{[a-z]+}}.u64
; PTX-NOT: max.u64
; PTX: setp.{{[a-z]+}}.u64
; PTX: ld.b8
define i32 @one_limit(ptr %a, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  %q = getelementptr i8, ptr %a, i64 %j
  %y = load i32, ptr %q, align 1
  %s = add i32 %x, %y
  ret i32 %s
}

; A check's result for a load is known after the load's check.
; CHECK-LABEL: define i32 @dependent(
; CHECK: call void @__gasan_report_bounds
; CHECK: %i = load
; CHECK: call void @__gasan_report_bounds
; CHECK: %y = load
; CHECK: ret
define i32 @dependent(ptr %a, ptr %b, i64 %k) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %k
  %i = load i64, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %i
  %y = load i32, ptr %q, align 1
  ret i32 %y
}

; A volatile store is made before the checks of later accesses: other threads may wait for the store.
; CHECK-LABEL: define i32 @volatile_store_between(
; CHECK: call void @__gasan_report_bounds
; CHECK: store volatile i32
; CHECK: call void @__gasan_report_bounds
; CHECK: %y = load
; CHECK: ret
define i32 @volatile_store_between(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  store volatile i32 1, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  ret i32 %y
}

; An atomic operation, too.
; CHECK-LABEL: define i32 @atomic_between(
; CHECK: call void @__gasan_report_bounds
; CHECK: atomicrmw
; CHECK: call void @__gasan_report_bounds
; CHECK: %y = load
; CHECK: ret
define i32 @atomic_between(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %o = atomicrmw add ptr %p, i8 1 monotonic
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  ret i32 %y
}

; Plain stores and the loads after them keep their order, after one branch.
; CHECK-LABEL: define i32 @stores(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[GOOD:.*]], !prof
; CHECK: [[GOOD]]:
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: store i32 2, ptr %q
; CHECK-NEXT: %y = load i32, ptr %r
; CHECK-NEXT: %z = load i32, ptr %{{.*}}
; CHECK-NEXT: store i32 3, ptr %{{.*}}
; CHECK: %s = add
; CHECK: ret
define i32 @stores(ptr %a, ptr %b, i64 %i, i64 %j, i64 %k) sanitize_address {
  %local = alloca i32
  call void @escape(ptr %local)
  %p = getelementptr i8, ptr %a, i64 %i
  store i32 1, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %j
  store i32 2, ptr %q, align 1
  %r = getelementptr i8, ptr %b, i64 %k
  %y = load i32, ptr %r, align 1
  %z = load i32, ptr %local
  store i32 3, ptr %local
  %s = add i32 %y, %z
  ret i32 %s
}

; A store that has no check of its own stays after the loads before it.
; CHECK-LABEL: define i32 @unchecked_store(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[GOOD:.*]], !prof
; CHECK: [[GOOD]]:
; CHECK-NEXT: %x = load i32, ptr %p
; CHECK-NEXT: store i32 1, ptr %{{.*}}
; CHECK-NEXT: %y = load i32, ptr %q
define i32 @unchecked_store(ptr %a, i64 %i, i64 %j) sanitize_address {
  %local = alloca i32
  call void @escape(ptr %local)
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  store i32 1, ptr %local
  %q = getelementptr i8, ptr %a, i64 %j
  %y = load i32, ptr %q, align 1
  %z = load i32, ptr %local
  %s = add i32 %x, %y
  %t = add i32 %s, %z
  ret i32 %t
}

; What is loaded after a store is known after the store's check.
; CHECK-LABEL: define i32 @stored_index(
; CHECK: call void @__gasan_report_bounds
; CHECK: store i64
; CHECK: %k = load i64, ptr %a
; CHECK: call void @__gasan_report_bounds
; CHECK: %y = load
define i32 @stored_index(ptr %a, i64 %i) sanitize_address {
  %first = load i64, ptr %a, align 1
  %p = getelementptr i8, ptr %a, i64 %first
  store i64 %i, ptr %p, align 1
  %k = load i64, ptr %a, align 1
  %q = getelementptr i8, ptr %a, i64 %k
  %y = load i32, ptr %q, align 1
  ret i32 %y
}

; A check does not move across a barrier.
; CHECK-LABEL: define i32 @barrier_between(
; CHECK: call void @__gasan_report_bounds
; CHECK: %x = load
; CHECK: barrier
; CHECK: call void @__gasan_report_bounds
; CHECK: %y = load
; CHECK: ret
define i32 @barrier_between(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  %s = add i32 %x, %y
  ret i32 %s
}

; A store is the last of a batch. The second load has no check of its own, because the first one's check covers it: the
; load stays after that check.
; CHECK-LABEL: define void @covered(
; CHECK-NOT: load
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[GOOD:.*]], !prof
; CHECK: [[GOOD]]:
; CHECK-NEXT: %x = load
; CHECK-NEXT: %z = load
; CHECK-NEXT: %s = add
; CHECK-NEXT: store
define void @covered(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  %z = load i16, ptr %p, align 1
  %s = add i32 %x, 1
  %q = getelementptr i8, ptr %b, i64 %j
  store i32 0, ptr %q, align 1
  ret void
}

; The second load is covered by the store's check, which is made before the batch. So what depends on the load may be
; compared in the batch.
; CHECK-LABEL: define i32 @covered_before(
; CHECK: store volatile i32
; CHECK: %k = load
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[GOOD:.*]], !prof
; CHECK: [[GOOD]]:
; CHECK-NEXT: %y = load
; CHECK-NEXT: %z = load
; CHECK-NEXT: %s = add
define i32 @covered_before(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  store volatile i32 1, ptr %p, align 1
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  %k = load i16, ptr %p, align 1
  %w = sext i16 %k to i64
  %r = getelementptr i8, ptr %b, i64 %w
  %z = load i32, ptr %r, align 1
  %s = add i32 %y, %z
  ret i32 %s
}

; The same in another block.
; CHECK-LABEL: define i32 @covered_above(
; CHECK: then{{.*}}:
; CHECK: %k = load
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[GOOD:.*]], !prof
; CHECK: [[GOOD]]:
; CHECK-NEXT: %y = load
; CHECK-NEXT: %z = load
define i32 @covered_above(ptr %a, ptr %b, i64 %i, i64 %j) sanitize_address {
  %p = getelementptr i8, ptr %a, i64 %i
  %x = load i32, ptr %p, align 1
  %is.more = icmp sgt i32 %x, 0
  br i1 %is.more, label %then, label %exit
then:
  %q = getelementptr i8, ptr %b, i64 %j
  %y = load i32, ptr %q, align 1
  %k = load i16, ptr %p, align 1
  %w = sext i16 %k to i64
  %r = getelementptr i8, ptr %b, i64 %w
  %z = load i32, ptr %r, align 1
  %s = add i32 %y, %z
  ret i32 %s
exit:
  ret i32 %x
}
