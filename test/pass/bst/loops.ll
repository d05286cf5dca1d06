; A loop with known addresses exists twice; the assumptions of the copy are compared before the loop.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-loop-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=ROUNDS
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-hoist-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=STAY

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i1 @unknown() nounwind willreturn memory(none)

; First and last offset, then the copy without a check; the loop with its check follows.
; CHECK-LABEL: define void @counted(
; CHECK: %[[OFFSET:.*]] = sub i64 %{{.*}}, %gasan.base
; CHECK: %[[FROZEN:.*]] = freeze i64 %[[OFFSET]]
; CHECK: %[[FIRST:.*]] = icmp ult i64 %[[FROZEN]], %[[LIMIT:.*]]
; CHECK: %[[END:.*]] = add i64 %[[OFFSET]],
; CHECK: %[[LATER:.*]] = freeze i64 %[[END]]
; CHECK: %[[LAST:.*]] = icmp ult i64 %[[LATER]], %[[LIMIT]]
; CHECK: %[[BOTH:.*]] = and i1 {{.*}}%[[LAST]]
; CHECK: br i1 %{{.*}}, label %[[COPY:.*]], label %[[LOOP:.*]], !prof
; CHECK: loop.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
; ROUNDS-LABEL: define void @counted(
; ROUNDS-NOT: loop.gasan:
; ROUNDS: ret void
define void @counted(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; One address in all rounds; a conditional access is not reported for a round in which it does not happen.
; CHECK-LABEL: define void @same_address(
; CHECK: br i1 %{{.*}}, label %{{.*}}.gasan, label %{{.*}}, !prof
; CHECK: touch.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}touch:
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
; STAY-LABEL: define void @same_address(
; STAY-NOT: .gasan:
; STAY: ret void
define void @same_address(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %c = call i1 @unknown()
  br i1 %c, label %touch, label %latch
touch:
  %x = load i32, ptr %p, align 1
  store i32 %x, ptr %p, align 1
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A loaded pointer is looked up in both loops, and checked in both.
; CHECK-LABEL: define void @partly(
; CHECK: br i1 %{{.*}}, label %{{.*}}.gasan, label %{{.*}}, !prof
; CHECK: loop.gasan:
; CHECK: call void @__gasan_check(
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
; CHECK: call void @__gasan_check(
; CHECK: ret void
define void @partly(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr ptr, ptr %p, i64 %i
  %q = load ptr, ptr %a, align 1
  store i32 1, ptr %q, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The threads of a warp have to meet at one barrier.
; CHECK-LABEL: define void @barrier(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @barrier(ptr %p, i64 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The number of rounds, or the address, is unknown.
; CHECK-LABEL: define void @unknown_rounds(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @unknown_rounds(ptr %p, i64 %start) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a, align 1
  %next = mul i64 %i, 3
  %more = call i1 @unknown()
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A value that leaves the loop leaves either copy.
; CHECK-LABEL: define i32 @sum(
; CHECK: phi i32 [ %t, %{{.*}} ], [ %t.gasan, %loop.gasan ]
; CHECK: ret i32
define i32 @sum(ptr %p, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %w = sext i32 %i to i64
  %a = getelementptr i32, ptr %p, i64 %w
  %x = load i32, ptr %a, align 1
  %t = add i32 %s, %x
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %t
}

; The index of a variable's array: the first one is good, and the others end before the good ones do, in 32 bits.
@array = internal addrspace(3) global [48 x i32] undef, align 4

; CHECK-LABEL: define void @indices_up(
; CHECK: %[[FROM:.*]] = add i32 %first, 2
; CHECK: %[[FIRST:.*]] = freeze i32 %[[FROM]]
; CHECK: %[[ROOM:.*]] = sub i32 48, %[[FIRST]]
; CHECK: %[[BEGINS:.*]] = icmp ult i32 %[[FIRST]], 48
; CHECK: %[[ENDS:.*]] = icmp ult i32 %{{.*}}, %[[ROOM]]
; CHECK: and i1 %[[BEGINS]], %[[ENDS]]
; CHECK: loop.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @indices_up(i32 %first, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = add i32 %first, %round
  %wide = sext i32 %i to i64
  %a = getelementptr [4 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @array, i64 8), i64 %wide
  store i32 1, ptr addrspace(3) %a, align 4
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Down, three elements a round: as many rounds as there is room before the first index.
; CHECK-LABEL: define void @indices_down(
; CHECK: %[[FIRST:.*]] = freeze i32 %first
; CHECK: %[[UP_TO:.*]] = add i32 %[[FIRST]], 1
; CHECK: %[[WAY:.*]] = mul i64 %{{.*}}, 3
; CHECK: %[[ROOM:.*]] = zext i32 %[[UP_TO]] to i64
; CHECK: %[[BEGINS:.*]] = icmp ult i32 %[[FIRST]], 48
; CHECK: %[[TESTED:.*]] = freeze i64 %[[WAY]]
; CHECK: %[[ENDS:.*]] = icmp ult i64 %[[TESTED]], %[[ROOM]]
; CHECK: and i1 %[[BEGINS]], %[[ENDS]]
; CHECK: loop.gasan:
; CHECK: ret void
define void @indices_down(i32 %first, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ %first, %entry ], [ %before, %loop ]
  %wide = sext i32 %i to i64
  %a = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %a, align 4
  %before = sub i32 %i, 3
  %next = add i32 %round, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A pointer that moves through a local array, in another address space than the array: its bounds are known before the
; loop.
; CHECK-LABEL: define ptx_kernel void @local_pointer(
; CHECK: br i1 %{{.*}}, label %{{.*}}.gasan, label %{{.*}}, !prof
; CHECK: loop.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define ptx_kernel void @local_pointer(i32 %n) sanitize_address {
entry:
  %array = alloca [64 x i8], align 16
  %local = addrspacecast ptr %array to ptr addrspace(5)
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr addrspace(5) [ %local, %entry ], [ %p.next, %loop ]
  store i32 1, ptr addrspace(5) %p, align 4
  %p.next = getelementptr i8, ptr addrspace(5) %p, i64 4
  %next = add i32 %round, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
