; Accesses that cannot be global memory, or that must not be instrumented, stay as they are.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --implicit-check-not=__gasan_report --implicit-check-not=__gasan_check_range

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = addrspace(3) global [16 x i32] undef
@constant = addrspace(4) constant [16 x i32] zeroinitializer
@variable = addrspace(1) global [16 x i32] zeroinitializer
@unsized = external addrspace(1) global [0 x i32]

; CHECK-LABEL: define void @spaces(
define void @spaces(ptr addrspace(3) %s, ptr addrspace(4) %c, ptr addrspace(5) %l, ptr addrspace(101) %p) "gasan-sanitize" {
  store i32 0, ptr addrspace(3) %s
  %1 = load i32, ptr addrspace(4) %c
  store i32 0, ptr addrspace(5) %l
  %2 = load i32, ptr addrspace(101) %p
  ret void
}

; CHECK-LABEL: define i32 @generic(
define i32 @generic(i1 %c, i64 %i) "gasan-sanitize" {
  %local = alloca [4 x i32]
  store i32 1, ptr %local
  %s = getelementptr [16 x i32], ptr addrspacecast (ptr addrspace(3) @shared to ptr), i64 0, i64 %i
  %k = getelementptr [16 x i32], ptr addrspacecast (ptr addrspace(4) @constant to ptr), i64 0, i64 %i
  br i1 %c, label %left, label %join
left:
  br label %join
join:
  %p = phi ptr [ %local, %0 ], [ %s, %left ]
  %q = select i1 %c, ptr %p, ptr %k
  %v = load i32, ptr %q
  ret i32 %v
}

; CHECK-LABEL: define ptx_kernel void @parameter(
define ptx_kernel void @parameter(ptr byval([8 x i32]) align 4 %p, i64 %i) "gasan-sanitize" {
  %e = getelementptr i32, ptr %p, i64 %i
  %v = load i32, ptr %e
  ret void
}

; CHECK-LABEL: define i32 @inside_variable(
define i32 @inside_variable() "gasan-sanitize" {
  %v = load i32, ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @variable, i64 60) to ptr)
  ret i32 %v
}

; CHECK-LABEL: define void @marked(
define void @marked(ptr %p) "gasan-sanitize" {
  store i32 0, ptr %p, !nosanitize !0
  ret void
}

; CHECK-LABEL: define void @exempt(
define void @exempt(ptr %p) {
  store i32 0, ptr %p
  ret void
}

; CHECK-LABEL: define void @__nv_libdevice(
define void @__nv_libdevice(ptr %p) "gasan-sanitize" {
  store i32 0, ptr %p
  ret void
}

; CHECK-LABEL: define void @__gasan_helper(
define void @__gasan_helper(ptr %p) "gasan-sanitize" {
  store i32 0, ptr %p
  ret void
}

; CHECK-LABEL: define i32 @null(
define i32 @null() "gasan-sanitize" {
  %v = load i32, ptr null
  ret i32 %v
}

; Similar accesses that do need a check.
; CHECK-LABEL: define i32 @one_may_be_global(
; CHECK: call void @__gasan_report(
define i32 @one_may_be_global(i1 %c, ptr %p) "gasan-sanitize" {
  %local = alloca i32
  %q = select i1 %c, ptr %p, ptr %local
  %v = load i32, ptr %q
  ret i32 %v
}

; CHECK-LABEL: define i32 @past_variable(
; CHECK: call void @__gasan_report(
define i32 @past_variable() "gasan-sanitize" {
  %v = load i32, ptr addrspacecast (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @variable, i64 64) to ptr)
  ret i32 %v
}

; CHECK-LABEL: define i32 @before_variable(
; CHECK: call void @__gasan_report(
define i32 @before_variable() "gasan-sanitize" {
  %v = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @variable, i64 -4)
  ret i32 %v
}

; CHECK-LABEL: define i32 @somewhere_in_variable(
; CHECK: call void @__gasan_report(
define i32 @somewhere_in_variable(i64 %i) "gasan-sanitize" {
  %p = getelementptr [16 x i32], ptr addrspace(1) @variable, i64 0, i64 %i
  %v = load i32, ptr addrspace(1) %p
  ret i32 %v
}

; CHECK-LABEL: define i32 @of_unknown_size(
; CHECK: call void @__gasan_report(
define i32 @of_unknown_size() "gasan-sanitize" {
  %v = load i32, ptr addrspace(1) @unsized
  ret i32 %v
}

; CHECK: declare void @__gasan_report
!0 = !{}
