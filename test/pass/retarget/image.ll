; The host's view of a module: kernels with their parameters, variables, and a constructor that registers them.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-image-id=some-id -gasan-cpu-helpers=%cpu_bc -S %s \
; RUN:   | FileCheck %s
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.pair = type { i64, i8 }

@counter = addrspace(1) externally_initialized global i32 5, align 4
@pointer = addrspace(1) externally_initialized global ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 8
@table = addrspace(4) externally_initialized constant [4 x float] zeroinitializer, align 4
@__gasan_params = internal addrspace(4) constant [64 x i8] zeroinitializer, align 8
@__gasan_sites = internal addrspace(1) constant [8 x i8] c"GSIT1234", align 8
@private = internal addrspace(1) global i32 0
@llvm.compiler.used = appending global [2 x ptr] [ptr addrspacecast (ptr addrspace(4) @__gasan_params to ptr), ptr addrspacecast (ptr addrspace(1) @__gasan_sites to ptr)], section "llvm.metadata"

; CHECK: target triple = "x86_64-pc-linux-gnu"
; Variables that the host writes are not constant; their initialisers may refer to each other. The site table stays.
; CHECK: @counter = internal addrspace(1) externally_initialized global i32 5
; CHECK: @pointer = internal addrspace(1) externally_initialized global ptr addrspacecast
; CHECK-SAME: {{^}} (ptr addrspace(1) @counter to ptr)
; CHECK: @table = internal addrspace(4) externally_initialized global
; CHECK: @__gasan_params = internal addrspace(4) externally_initialized global
; CHECK: @__gasan_sites = internal addrspace(1) constant

; CHECK: @[[NAME:gasan.string[.0-9]*]] = internal constant [8 x i8] c"_Z1kPii\00"
; CHECK: @[[SIZES:gasan.parameter_sizes[.0-9]*]] = internal constant [4 x i32] [i32 8, i32 4, i32 16, i32 1]
; name, thread, block, sizes, count, flags, static shared, dynamic offset, most threads
; CHECK: @gasan.kernels = internal constant {{.*}} { ptr @[[NAME]], ptr @gasan.thread._Z1kPii, ptr @gasan.block._Z1kPii,
; CHECK-SAME: {{^}} ptr @[[SIZES]], i32 4, i32 0, i64 0, i64 0, i32 256, i32 0 }
; CHECK: @gasan.variables = internal constant [5 x {{.*}}@counter{{.*}}, i64 4 },{{.*}}@pointer{{.*}}, i64 8 },
; CHECK-SAME: {{.*}}@table{{.*}}, i64 16 },{{.*}}@__gasan_params{{.*}}, i64 64 },{{.*}}@__gasan_sites{{.*}}, i64 8 }]
; CHECK: @[[ID:gasan.string[.0-9]*]] = internal constant [8 x i8] c"some-id\00"
; CHECK: @gasan.image = internal constant {{.*}} { i64 13886077074096455, i32 {{[0-9]+}}, i32 80, ptr @[[ID]],
; CHECK-SAME: {{^}} i32 1, i32 5, ptr @gasan.kernels, ptr @gasan.variables, i32 0, i32 0 }
; CHECK: @llvm.global_ctors = appending global {{.*}} i32 101, ptr @gasan.register

; CHECK-NOT: ptx_kernel
; CHECK: define internal void @_Z1kPii(

; CHECK: define internal void @gasan.thread._Z1kPii(ptr %0)
; The struct is copied, because the thread may write to it. The host's argument may have any address.
; CHECK: %[[COPY:.*]] = alloca %struct.pair
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 %[[COPY]], ptr align 1 %{{.*}}, i64 16
; CHECK: load i8, ptr %{{.*}}, align 1
; CHECK: call void @_Z1kPii(ptr %{{.*}}, i32 %{{.*}}, ptr byval(%struct.pair) align 8 %[[COPY]], i1 zeroext %{{.*}})

; CHECK: define internal void @gasan.block._Z1kPii(ptr %0)
; CHECK: call void @gasan_run_block(ptr @gasan.thread._Z1kPii, ptr %0)
; CHECK: define internal void @gasan.register(i32 %0, ptr %1)
; CHECK: call void @gasan_register_image(ptr @gasan.image, ptr @gasan.runtime, ptr %1)
define ptx_kernel void @_Z1kPii(ptr %p, i32 %n, ptr byval(%struct.pair) align 8 %s, i1 zeroext %flag) #0 {
  store i32 %n, ptr %p, align 4
  ret void
}

attributes #0 = { "target-cpu"="sm_80" "target-features"="+ptx70,+sm_80" "nvvm.maxntid"="16,16" }
