; Lookups that follow each other run together, without a branch between them; code that may free memory, or not return,
; ends the sequence.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @elsewhere()

; Each reads both words of its page in the map. If one of them is in a page that chunks share, each reads a word of a
; block table.
; CHECK-LABEL: define ptx_kernel void @together(
; CHECK: br i1 %{{.*}}, label %gasan.find, label %gasan.null
; CHECK: gasan.find:
; CHECK-NOT: {{br |call [^@]*@__gasan}}
; CHECK-COUNT-4: load i64, {{.*}}addrspace(1)
; CHECK-NOT: load {{.*}}addrspace(1)
; CHECK: br i1 %{{.*}}, label %[[DONE:.*]], label %gasan.block
; CHECK: [[DONE]]:
; CHECK: phi i64 {{.*}}%gasan.find {{.*}}%gasan.block {{.*}}%gasan.null {{.*}}%gasan.look
; CHECK: gasan.block:
; CHECK-NOT: {{br |call [^@]*@__gasan}}
; CHECK-COUNT-4: load i32, {{.*}}addrspace(1)
; CHECK-NOT: load {{.*}}addrspace(1)
; CHECK: br i1 %{{.*}}, label %[[DONE]], label %gasan.look
; CHECK: gasan.null:
; CHECK-COUNT-2: icmp ult i64 %{{.*}}, 65536
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

; The second lookup needs a value from after the first one's check.
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

@_ZTV5Shape = linkonce_odr addrspace(1) constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @area] }
@_ZTV6Square = linkonce_odr addrspace(1) constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @area, ptr @area] }

define void @area(ptr %this) {
  ret void
}

; The pointer to an object's virtual functions is compared with the module's tables before it is looked up; other
; pointers are not.
; CHECK-LABEL: define void @virtual(
; CHECK: gasan.find:
; CHECK: %table = load ptr
; CHECK: %[[TABLE:.*]] = ptrtoint ptr %table to i64
; CHECK: %[[SHAPE:.*]] = sub i64 %[[TABLE]], ptrtoint (ptr addrspacecast (ptr addrspace(1) @_ZTV5Shape to ptr) to i64)
; CHECK: icmp ult i64 %[[SHAPE]], 24
; CHECK: %[[SQUARE:.*]] = sub i64 %[[TABLE]], ptrtoint (ptr addrspacecast (ptr addrspace(1) @_ZTV6Square to ptr) to i64)
; CHECK: icmp ult i64 %[[SQUARE]], 32
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %gasan.other
; CHECK: gasan.other:
; CHECK: phi i64 [ 65536, %
; CHECK-NOT: gasan.other{{[0-9]}}
; CHECK: ret void
define void @virtual(ptr %object) sanitize_address {
  %table = load ptr, ptr %object, align 8, !tbaa !0
  %function = load ptr, ptr %table, align 8
  %value = load i32, ptr %function, align 4
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2}
!2 = !{!"Simple C++ TBAA"}
