; The outlined calls that LLVM's own AddressSanitizer pass makes in device code link with gasan's device runtime.
; RUN: opt -passes=asan -asan-instrumentation-with-call-threshold=0 -asan-stack=0 -asan-globals=0 \
; RUN:   -asan-use-after-return=never \
; RUN:   -asan-instrument-dynamic-allocas=0 -asan-constructor-kind=none %s -o %t.bc
; RUN: opt -passes=asan -asan-recover=1 -asan-instrumentation-with-call-threshold=0 -asan-stack=0 -asan-globals=0 \
; RUN:   -asan-use-after-return=never -asan-instrument-dynamic-allocas=0 %s -o %t.recover.bc
;
; With gasan's pass, which numbers the calls and links only the functions that are needed.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-asan-calls -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %t.bc -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES
; RUN: %opt_gasan -gasan-mode=shadow -gasan-asan-calls -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify %t.recover.bc -o %t.recover.out.bc
; RUN: llvm-nm -u %t.recover.out.bc | FileCheck %s --check-prefix=UNDEFINED --allow-empty
;
; Without it, by llvm-link: no sites. Both become a CPU image.
; RUN: llvm-link %t.bc %asan_bc -o %t.linked.bc
; RUN: llvm-link %t.recover.bc %asan_bc -o %t.recover.linked.bc
; RUN: llvm-nm %t.linked.bc | FileCheck %s --check-prefix=SYMBOLS
; RUN: llvm-nm -u %t.linked.bc %t.recover.linked.bc | FileCheck %s --check-prefix=USED
; RUN: llc -mcpu=sm_75 -mattr=+ptx63 %t.linked.bc -o %t.ptx
; RUN: FileCheck %s --check-prefix=PTX < %t.ptx
; RUN: %opt_gasan -gasan-cpu-helpers=%cpu_bc -gasan-cpu-image-id=id -passes=gasan-retarget -S %t.linked.bc \
; RUN:   | FileCheck %s --check-prefix=CPU
; RUN: %opt_gasan -gasan-cpu-helpers=%cpu_bc -gasan-cpu-image-id=id -passes=gasan-retarget -S %t.ll \
; RUN:   | FileCheck %s --check-prefix=CPU

; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 1, i32
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 16, i32
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 4, i32
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 8, i32
; CHECK: call void @__asan_handle_no_return()
; CHECK: define internal void @__asan_handle_no_return()
; CHECK-NOT: @__asan_
; SITES: 6 sites, 1 kernels
; SITES: site 0 READ 1 from k
; SITES: site 1 READ 16 from k
; SITES: site 2 WRITE 4 from k
; SITES: site 3 WRITE 8 from k
; SITES: site 4 READ 0 from k
; SITES: site 5 WRITE 0 from k
; UNDEFINED-NOT: asan_
; SYMBOLS-DAG: T __asan_load1
; SYMBOLS-DAG: T __asan_storeN
; SYMBOLS-DAG: {{[RDC]}} __gasan_params
; SYMBOLS-DAG: {{[RDC]}} __gasan_sites
; The pass declares all functions that it could call; no code calls these.
; USED-NOT: U __asan_{{(load|store|mem|report_(load|store)|init|version|handle)}}
; PTX: .visible .entry k(
; PTX: call.uni{{[[:space:]]+}}__asan_load1,
; PTX-NOT: .extern .func {{.*}}asan_
; CPU-NOT: undefined device function __asan
; CPU: @gasan.checks = {{.*}} i8 7
; CPU-NOT: undefined device function __asan

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.trap() noreturn

define ptx_kernel void @k(ptr %p, ptr %q, ptr %r, ptr %s, i64 %n) sanitize_address "target-cpu"="sm_75" {
  %a = load i8, ptr %p
  %b = load <4 x i32>, ptr %q
  store i32 0, ptr %r
  %old = atomicrmw add ptr %s, i64 1 monotonic
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  store <4 x i32> %b, ptr %q
  call void @llvm.trap()
  unreachable
}
