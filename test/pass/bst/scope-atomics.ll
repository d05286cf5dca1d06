; An atomic operation by a pointer to one of two variables whose scopes have ended: without the calls that mark the
; ends, the back end sees a local address. NVPTX would make atom.local of it, which ptxas refuses.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify %s -o %t.bc
; RUN: llc -O2 -mcpu=sm_90 %t.bc -o %t.s
; RUN: %cuda/bin/ptxas -c -arch=sm_90 %t.s -o %t.o

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @__gasan_out_of_scope(ptr, ptr) nounwind memory(none)

; CHECK-LABEL: define ptx_kernel void @ended(
; CHECK: call void @__gasan_report_bounds
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @ended(ptr %out, i1 %c, i64 %i) "gasan-sanitize" {
  %a = alloca [4 x i32], align 4
  %b = alloca [4 x i32], align 4
  store i32 1, ptr %a, align 4
  store i32 2, ptr %b, align 4
  %a.ended = call ptr @__gasan_out_of_scope(ptr %a, ptr %a)
  %b.ended = call ptr @__gasan_out_of_scope(ptr %b, ptr %b)
  %p = select i1 %c, ptr %a.ended, ptr %b.ended
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %old = atomicrmw add ptr %q, i32 1 seq_cst, align 4
  %pair = cmpxchg ptr %q, i32 1, i32 2 seq_cst seq_cst, align 4
  store i32 %old, ptr %out, align 4
  ret void
}

; One of the two may be other memory.
; CHECK-LABEL: define ptx_kernel void @other(
; CHECK: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @other(ptr %out, i1 %c) "gasan-sanitize" {
  %a = alloca i32, align 4
  store i32 1, ptr %a, align 4
  %a.ended = call ptr @__gasan_out_of_scope(ptr %a, ptr %a)
  %p = select i1 %c, ptr %a.ended, ptr %out
  %pair = cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst, align 4
  ret void
}
