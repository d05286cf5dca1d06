; malloc and free become the device runtime's; each call has its site, at the line of the source.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-mark,gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s
; The optimiser would remove an allocation that is only freed, and stores to it; it does not know the new names.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes='gasan-mark,default<O2>,gasan-instrument,verify' -S \
; RUN:   %s | FileCheck %s --check-prefix=OPTIMISED
; Otherwise they stay CUDA's, also in an object that was compiled for the other mode.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-mark,gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=SHADOW
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-mark,gasan-prepare -S %s | FileCheck %s --check-prefix=HIDDEN
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-mark,gasan-prepare -S %s \
; RUN:   | %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S | FileCheck %s --check-prefix=SHADOW
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; The module's flag 2: it uses the heap.
; CHECK: @__gasan_params = {{.*}} i32 2 }
; SHADOW: @__gasan_params = {{.*}} i32 0 }

@pointer = addrspace(1) global ptr @malloc

declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @__nv_aligned_device_malloc_impl(i64, i64)

; CHECK-LABEL: define void @twice(
; CHECK: %p = call ptr @__gasan_malloc(i64 40, i32 {{[0-9]+}})
; CHECK: call void @__gasan_free(ptr %p, i32 {{[0-9]+}})
; CHECK: call void @__gasan_free(ptr %p, i32 {{[0-9]+}})
; SHADOW-LABEL: define void @twice(
; SHADOW: call ptr @malloc(i64 40)
; SHADOW: call void @free(ptr %p)
; HIDDEN: call ptr @__gasan_hidden_malloc(i64 40)
; HIDDEN: call void @__gasan_hidden_free(ptr %p)
; OPTIMISED-LABEL: define void @twice(
; OPTIMISED: call ptr @__gasan_malloc(i64 40,
; OPTIMISED: call void @__gasan_report_bounds
; OPTIMISED: store i32 1
; OPTIMISED: call void @__gasan_free
; OPTIMISED: call void @__gasan_free
define void @twice() sanitize_address {
  %p = call ptr @malloc(i64 40)
  store i32 1, ptr %p
  call void @free(ptr %p)
  call void @free(ptr %p)
  ret void
}

; After a call that may free, the bounds' size is read again; otherwise it is not.
; CHECK-LABEL: define i32 @after(
; CHECK: call %struct.gasan_bounds @__gasan_bounds
; CHECK-NOT: @__gasan_bounds_now
; CHECK: load i32, ptr %p
; CHECK: call void @__gasan_free(ptr %q
; CHECK: call i64 @__gasan_bounds_now(i64 %gasan.base{{[0-9]*}}, i64 %gasan.size{{[0-9]*}})
; CHECK: load i32, ptr %p
define i32 @after(ptr %q, ptr %from) sanitize_address {
  %p = load ptr, ptr %from
  %a = load i32, ptr %p
  call void @free(ptr %q)
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

; CHECK-LABEL: define ptr @aligned(
; CHECK: call ptr @__gasan_malloc_aligned(i64 %size, i64 256, i32 {{[0-9]+}})
define ptr @aligned(i64 %size) sanitize_address {
  %p = call ptr @__nv_aligned_device_malloc_impl(i64 %size, i64 256)
  ret ptr %p
}

; operator new is inlined into its callers, whatever its attributes are.
; CHECK-LABEL: define ptr @object(
; CHECK-NOT: @_Znwm
; CHECK: call ptr @__gasan_malloc(i64 16, i32 {{[0-9]+}})
; CHECK-NOT: define {{.*}} @_Znwm
define ptr @object() sanitize_address {
  %p = call ptr @_Znwm(i64 16)
  ret ptr %p
}

define linkonce_odr ptr @_Znwm(i64 %size) noinline optnone sanitize_address {
  %p = call ptr @malloc(i64 %size)
  ret ptr %p
}

; A pointer to malloc.
; CHECK: define internal ptr @__gasan_malloc_thunk(i64 %0)
; CHECK: call ptr @__gasan_malloc(i64 %0, i32 -1)
