; Both sides of copies; known and unknown sizes; no check for 0 bytes or for sides that are not global.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @copy(
; CHECK: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[Q]], i64 %n, i32 0)
; CHECK-NEXT: %[[P:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[P]], i64 %n, i32 1)
; CHECK-NEXT: call void @llvm.memcpy
define void @copy(ptr %p, ptr %q, i64 %n) "gasan-sanitize" {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @move_known(
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 100, i32 2)
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 100, i32 3)
; CHECK: call void @llvm.memmove
define void @move_known(ptr %p, ptr %q) "gasan-sanitize" {
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %p, ptr align 4 %q, i64 100, i1 false)
  ret void
}

; A small aligned structure is one access.
; CHECK-LABEL: define void @copy_small(
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 4)
; CHECK: call void @__gasan_report(i64 %{{.*}}, i64 16, i32 5)
; CHECK: call void @llvm.memcpy.inline
define void @copy_small(ptr %p, ptr %q) "gasan-sanitize" {
  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 16 %p, ptr align 16 %q, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define void @from_shared(
; CHECK-NEXT: %[[N:.*]] = zext i32 %n to i64
; CHECK-NEXT: %[[P:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[P]], i64 %[[N]], i32 6)
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NOT: __gasan
; CHECK: ret void
define void @from_shared(ptr %p, ptr addrspace(3) %q, i32 %n) "gasan-sanitize" {
  call void @llvm.memcpy.p0.p3.i32(ptr %p, ptr addrspace(3) %q, i32 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @set(
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 %n, i32 7)
; CHECK-NEXT: call void @llvm.memset
define void @set(ptr %p, i64 %n) "gasan-sanitize" {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @nothing(
; CHECK-NEXT: call void @llvm.memset
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: ret void
define void @nothing(ptr %p, ptr %q) "gasan-sanitize" {
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 0, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 0, i1 false)
  ret void
}

%pair = type { i64, i64 }
declare void @callee(ptr byval(%pair) align 8)

; The copy for the callee reads the argument.
; CHECK-LABEL: define void @pass_by_value(
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 16, i32 8)
; CHECK-NEXT: call void @callee
define void @pass_by_value(ptr %p) "gasan-sanitize" {
  call void @callee(ptr byval(%pair) align 8 %p)
  ret void
}
