; For the host's AddressSanitizer: functions that -gasan-prepare has marked, and the helpers, get its attribute;
; pointers of the global space become ordinary ones, which it does not skip; calls that do not return leave the fiber's
; stack as it is; the image has a flag for it.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-image-id=id -gasan-cpu-helpers=%cpu_bc -S %s | FileCheck %s
; RUN: sed 's/"gasan-sanitize"//' %s | %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-image-id=id \
; RUN:   -gasan-cpu-helpers=%cpu_bc -S | FileCheck %s --check-prefix=PLAIN
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: @gasan.image = internal constant {{.*}}, i32 1, i32 0 }
; PLAIN: @gasan.image = internal constant {{.*}}, i32 0, i32 0 }
; PLAIN-NOT: sanitize_address

; CHECK: define internal void @_Z1kPU3AS1iS_(ptr addrspace(1) %p, ptr addrspace(1) %q) [[CHECKED:#[0-9]+]]
; CHECK-NEXT: [[P:%.*]] = addrspacecast ptr addrspace(1) %p to ptr
; CHECK-NEXT: %v = load i32, ptr [[P]]
; CHECK-NEXT: [[Q:%.*]] = addrspacecast ptr addrspace(1) %q to ptr
; CHECK-NEXT: store i32 %v, ptr [[Q]]
; CHECK-NEXT: [[R:%.*]] = addrspacecast ptr addrspace(1) %q to ptr
; CHECK-NEXT: store ptr addrspace(1) %p, ptr [[R]]
; CHECK-NEXT: [[A:%.*]] = addrspacecast ptr addrspace(1) %p to ptr
; CHECK-NEXT: atomicrmw add ptr [[A]]
; CHECK: store i8 0, ptr %{{.*}}, !nosanitize
; CHECK: call void @gasan_trap(), !nosanitize
; CHECK: define internal {{.*}}@gasan_run_block({{.*}} [[HELPER:#[0-9]+]]
; CHECK-DAG: attributes [[CHECKED]] = { sanitize_address uwtable "probe-stack"="inline-asm" }
; CHECK-DAG: attributes [[HELPER]] = { {{.*}}sanitize_address
; CHECK-NOT: gasan-sanitize
define ptx_kernel void @_Z1kPU3AS1iS_(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %q
  store ptr addrspace(1) %p, ptr addrspace(1) %q
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %g = addrspacecast ptr addrspace(1) %p to ptr
  store i8 0, ptr %g, !nosanitize !0
  call void @llvm.trap()
  unreachable
}

declare void @llvm.trap()

attributes #0 = { "gasan-sanitize" "target-cpu"="sm_80" }
!0 = !{}
