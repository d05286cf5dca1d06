; Code for handles: each access gets its address from the table, in functions without checks, too; values stay as they
; are.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-pool=handles -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: not %opt_gasan -gasan-mode=shadow -gasan-pool=heap -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BAD
; BAD: error: gasan: -gasan-pool=heap: choose window or handles

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@variable = addrspace(1) global i32 0

; CHECK-LABEL: define ptr @checked(
; CHECK: %[[HANDLE:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[ADDRESS:.*]] = call i64 @__gasan_access(i64 %[[HANDLE]], i64 8, i32 0)
; CHECK: %[[POINTER:.*]] = inttoptr i64 %[[ADDRESS]] to ptr
; CHECK: %loaded = load ptr, ptr %[[POINTER]]
; CHECK: call i64 @__gasan_access(
; CHECK: store ptr %p, ptr
; CHECK: ret ptr %p
define ptr @checked(ptr %p) "gasan-sanitize" {
  %loaded = load ptr, ptr %p, align 8
  store ptr %p, ptr %loaded, align 8
  ret ptr %p
}

; CHECK-LABEL: define i32 @unchecked(
; CHECK-NOT: @__gasan_access
; CHECK: call i64 @__gasan_translate(
; CHECK: load i32, ptr
; CHECK: ret i32
define i32 @unchecked(ptr %p) {
  %value = load i32, ptr %p, align 4
  ret i32 %value
}

; CHECK-LABEL: define i32 @no_handles(
; CHECK-NOT: @__gasan_translate
; CHECK: ret i32
define i32 @no_handles(ptr addrspace(3) %shared) {
  %local = alloca i32, align 4
  store i32 1, ptr %local, align 4
  %one = load i32, ptr addrspace(3) %shared, align 4
  %two = load i32, ptr addrspace(1) @variable, align 4
  %sum = add i32 %one, %two
  ret i32 %sum
}
