; Checks of conditional accesses are made before the condition, together with the checks of other accesses.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s --check-prefix=OFF

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@t = internal addrspace(3) global [100 x i32] undef, align 4

; One branch decides both checks. The second one counts only if its condition holds, which is the first successor here
; and the second one there.
; CHECK-LABEL: define void @two(
; CHECK: %[[NOT:.*]] = xor i1 %d, true
; CHECK: %[[FIRST:.*]] = freeze i1 %c
; CHECK: select i1 %[[FIRST]], i1 %{{.*}}, i1 false
; CHECK: %[[SECOND:.*]] = freeze i1 %[[NOT]]
; CHECK: select i1 %[[SECOND]], i1 %{{.*}}, i1 false
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: br i1 %c, label %one, label %next
; CHECK: one:
; CHECK-NEXT: store i32 1
; CHECK: br i1 %d, label %done, label %other
; CHECK: other:
; CHECK-NEXT: store i32 2
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: call void @__gasan_report_bounds
; OFF-LABEL: define void @two(
; OFF: one:
; OFF: call void @__gasan_report_bounds
; OFF: other:
; OFF: call void @__gasan_report_bounds
; OFF: ret void
define void @two(i1 %c, i1 %d, i32 %i, i32 %j) sanitize_address {
  br i1 %c, label %one, label %next
one:
  %wide = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %wide
  store i32 1, ptr addrspace(3) %p
  br label %next
next:
  br i1 %d, label %done, label %other
other:
  %far = sub i32 %j, 7
  %wider = sext i32 %far to i64
  %q = getelementptr i32, ptr addrspace(3) @t, i64 %wider
  store i32 2, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The address is loaded under the condition: the load must not happen without it.
; CHECK-LABEL: define void @loaded(
; CHECK: touch:
; CHECK: load i64
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: ret void
define void @loaded(i1 %c, ptr byval([2 x i64]) %places) sanitize_address {
  br i1 %c, label %touch, label %done
touch:
  %i = load i64, ptr %places
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %i
  store i32 1, ptr addrspace(3) %p
  br label %done
done:
  ret void
}

; A division may fail without its condition.
; CHECK-LABEL: define void @divided(
; CHECK: touch:
; CHECK: udiv
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: ret void
define void @divided(i64 %a, i64 %b) sanitize_address {
  %c = icmp ne i64 %b, 0
  br i1 %c, label %touch, label %done
touch:
  %i = udiv i64 %a, %b
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %i
  store i32 1, ptr addrspace(3) %p
  br label %done
done:
  ret void
}

; Other threads may wait for the volatile store, so the check of a later access is made after it.
; CHECK-LABEL: define void @waiting(
; CHECK: touch:
; CHECK: store volatile
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: ret void
define void @waiting(i1 %c, i64 %i, ptr addrspace(3) %flag) sanitize_address {
  br i1 %c, label %touch, label %done
touch:
  store volatile i32 1, ptr addrspace(3) @t
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %i
  store i32 1, ptr addrspace(3) %p
  br label %done
done:
  ret void
}

; Also if the second condition is after such a store.
; CHECK-LABEL: define void @waiting_between(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: store volatile
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: ret void
define void @waiting_between(i1 %c, i1 %d, i64 %i, i64 %j) sanitize_address {
  br i1 %c, label %one, label %next
one:
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %i
  store i32 1, ptr addrspace(3) %p
  store volatile i32 1, ptr addrspace(3) @t
  br label %next
next:
  br i1 %d, label %other, label %done
other:
  %q = getelementptr i32, ptr addrspace(3) @t, i64 %j
  store i32 2, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The check in between stays before the later one, because reports name the first bad access.
; CHECK-LABEL: define void @ordered(
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: br i1 %c, label %one, label %next
; CHECK: next:
; CHECK: load i64
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !prof
; CHECK: store i32 3
; CHECK: br i1 %d, label %other, label %done
define void @ordered(i1 %c, i1 %d, i64 %i, i64 %j, ptr %places) sanitize_address {
  br i1 %c, label %one, label %next
one:
  %p = getelementptr i32, ptr addrspace(3) @t, i64 %i
  store i32 1, ptr addrspace(3) %p
  br label %next
next:
  %k = load i64, ptr addrspace(3) @t
  %r = getelementptr i32, ptr addrspace(3) @t, i64 %k
  store i32 3, ptr addrspace(3) %r
  br i1 %d, label %other, label %done
other:
  %q = getelementptr i32, ptr addrspace(3) @t, i64 %j
  store i32 2, ptr addrspace(3) %q
  br label %done
done:
  ret void
}
