; __shared__ variables become offsets in the block's shared memory: a variable that two kernels reach has one place for
; both. A variable of one kernel alone comes after these, and overlays those of other kernels. A kernel's variants count
; as the kernel.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

@both = internal addrspace(3) global [5 x i32] undef, align 4
@own1 = internal addrspace(3) global [100 x i8] undef, align 1
@own2 = internal addrspace(3) global double undef, align 64
@dynamic = external addrspace(3) global [0 x float], align 256

; static size and dynamic offset of each kernel: 32 + 100; 64 + 8
; CHECK: @gasan.kernels = {{.*}}@gasan.thread.first{{.*}} i64 132, i64 256,{{.*}}@gasan.thread.second
; CHECK-SAME: {{.*}} i64 72, i64 256,

; CHECK-LABEL: define internal void @_Z6sharedv(
; CHECK: %[[BASE:.*]] = call ptr @gasan_shared_base()
; CHECK-NEXT: %[[PLACE:.*]] = getelementptr inbounds i8, ptr %[[BASE]], i64 0
; CHECK-NEXT: %[[BOTH:.*]] = addrspacecast ptr %[[PLACE]] to ptr addrspace(3)
; CHECK: getelementptr i8, ptr addrspace(3) %[[BOTH]], i64 4
define void @_Z6sharedv() "target-cpu"="sm_80" {
  store i32 1, ptr addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @both, i64 4) to ptr), align 4
  ret void
}

; CHECK-LABEL: define internal void @first.device(
; CHECK: getelementptr inbounds i8, ptr %{{.*}}, i64 32
define ptx_kernel void @first() {
  store i8 1, ptr addrspace(3) @own1, align 1
  call void @_Z6sharedv()
  ret void
}

; CHECK-LABEL: define internal void @second.device(
; CHECK-DAG: getelementptr inbounds i8, ptr %{{.*}}, i64 64
; CHECK-DAG: call ptr @gasan_dynamic_base()
define ptx_kernel void @second() {
  store double 1.0, ptr addrspace(3) @own2, align 8
  store float 1.0, ptr addrspace(3) @dynamic, align 4
  call void @_Z6sharedv()
  ret void
}

define ptx_kernel void @__gasan_proven_first() {
  store i8 1, ptr addrspace(3) @own1, align 1
  call void @_Z6sharedv()
  ret void
}

define ptx_kernel void @__gasan_bounded_first() {
  store i8 1, ptr addrspace(3) @own1, align 1
  ret void
}
