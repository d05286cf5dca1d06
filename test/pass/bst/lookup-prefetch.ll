; A check that looks up its pointer prefetches what the access loads.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Two loads at a constant distance have one prefetch, at the first of them.
; CHECK-LABEL: define i32 @numbers(
; CHECK: %p = load ptr
; CHECK: %[[AT:.*]] = add i64 %{{.*}}, 0
; CHECK-NEXT: call void asm sideeffect "prefetch.global.L1 [$0];", "l"(i64 %[[AT]])
; CHECK-NOT: prefetch
; CHECK: br i1 %{{.*}}, label %gasan.find{{[0-9]*}}, label %gasan.look{{[0-9]*}}, !prof
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define i32 @numbers(ptr %x, i64 %i) sanitize_address {
  %p = load ptr, ptr %x, align 8
  %a = getelementptr i32, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 12
  %1 = load i32, ptr %a, align 4
  %2 = load i32, ptr %b, align 4
  %sum = add i32 %1, %2
  ret i32 %sum
}

; A list's node is loaded later than its check, so the prefetch would only be a second access.
; CHECK-LABEL: define ptr @node(
; CHECK-NOT: prefetch
; CHECK: gasan.look{{[0-9]*}}:
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define ptr @node(ptr %x, ptr %to) sanitize_address {
  %p = load ptr, ptr %x, align 8
  %b = getelementptr i8, ptr %p, i64 8
  %number = load i64, ptr %b, align 8
  %next = load ptr, ptr %p, align 8
  store i64 %number, ptr %to, align 8
  ret ptr %next
}

; So is a pointer that is loaded as a number.
; CHECK-LABEL: define ptr @lifted(
; CHECK-NOT: prefetch
; CHECK: gasan.look{{[0-9]*}}:
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define ptr @lifted(ptr %x) sanitize_address {
  %p = load ptr, ptr %x, align 8
  %number = load i64, ptr %p, align 8
  %next = inttoptr i64 %number to ptr
  ret ptr %next
}

; Nothing waits for a store, and a volatile load reads from the L2 cache.
; CHECK-LABEL: define void @others(
; CHECK-NOT: prefetch
; CHECK: gasan.look{{[0-9]*}}:
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define void @others(ptr %x) sanitize_address {
  %p = load ptr, ptr %x, align 8
  store i32 1, ptr %p, align 4
  ret void
}

; CHECK-LABEL: define i32 @volatile(
; CHECK-NOT: prefetch
; CHECK: gasan.look{{[0-9]*}}:
; CHECK-NOT: prefetch
; CHECK: {{^}}}
define i32 @volatile(ptr %x) sanitize_address {
  %p = load ptr, ptr %x, align 8
  %value = load volatile i32, ptr %p, align 4
  ret i32 %value
}
