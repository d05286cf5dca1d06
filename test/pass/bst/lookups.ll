; Lookups that follow each other are found together, without a branch between them; what may free memory, or not return, ends that.
; RUN: %opt_gasan -gasan-mode=bst -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @elsewhere()

; Each reads both words of its page in the map and, if one of them is in a page that chunks share, one of a block table.
; CHECK-LABEL: define ptx_kernel void @together(
; CHECK: br i1 %{{.*}}, label %gasan.find, label %gasan.look
; CHECK: gasan.find:
; CHECK-NOT: {{br |call [^@]*@__gasan}}
; CHECK-COUNT-4: load i64, {{.*}}addrspace(1)
; CHECK-NOT: load {{.*}}addrspace(1)
; CHECK: br i1 %{{.*}}, label %[[DONE:.*]], label %gasan.block
; CHECK: [[DONE]]:
; CHECK: phi i64 {{.*}}%gasan.find {{.*}}%gasan.block {{.*}}%gasan.look
; CHECK: gasan.block:
; CHECK-NOT: {{br |call [^@]*@__gasan}}
; CHECK-COUNT-4: load i32, {{.*}}addrspace(1)
; CHECK-NOT: load {{.*}}addrspace(1)
; CHECK: br i1 %{{.*}}, label %[[DONE]], label %gasan.look
; CHECK: gasan.look:
; CHECK: call %struct.gasan_bounds @__gasan_bounds_global_any(
; CHECK: call %struct.gasan_bounds @__gasan_bounds_global_any(
; CHECK: br label
define ptx_kernel void @together(ptr %p, ptr %q) sanitize_address {
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %q, align 4
  ret void
}

; The second lookup needs what comes behind the first one's check.
; CHECK-LABEL: define void @one_leads_to_the_other(
; CHECK: gasan.find:
; CHECK-COUNT-2: load i64, {{.*}}addrspace(1)
; CHECK: br i1
; CHECK: gasan.find{{[0-9]+}}:
; CHECK: ret void
define void @one_leads_to_the_other(ptr %p) sanitize_address {
  %q = load ptr, ptr %p, align 8
  store i32 1, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define void @call_between(
; CHECK: gasan.find:
; CHECK: call void @elsewhere()
; CHECK: gasan.find{{[0-9]+}}:
; CHECK: ret void
define void @call_between(ptr %p, i64 %n) sanitize_address {
  store i32 1, ptr %p, align 4
  call void @elsewhere()
  %q = inttoptr i64 %n to ptr
  store i32 1, ptr %q, align 4
  ret void
}
