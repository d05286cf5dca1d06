; Calls of ASan's entry points become calls of the checks, with a site each; other calls stay.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES
; The runtime has the functions that are called through pointers.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=LINKED
; RUN: %opt_gasan -gasan-mode=shadow -gasan-device-runtime=%device_bc -gasan-granule=8 -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck %s --check-prefix=LINKED
; LINKED-NOT: declare {{.*}}@__{{g?}}asan_
; LINKED: define internal void @__gasan_check_range(
; LINKED: define internal void @__gasan_report_noabort(
; LINKED: define internal void @__asan_store8(
; LINKED-NOT: declare {{.*}}@__{{g?}}asan_
; LINKED-NOT: @__asan_load{{[0-9]}}

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare void @__asan_load1(i64)
declare void @__asan_load16_noabort(i64)
declare void @__asan_storeN(i64, i64)
declare void @__asan_storeN_noabort(i64, i64)
declare void @__asan_report_store4(i64)
declare void @__asan_report_load_n_noabort(i64, i64)
declare void @__asan_store8(i64)
declare ptr @__asan_memcpy(ptr, ptr, i64)
declare ptr @__asan_memmove(ptr, ptr, i64)
declare ptr @__asan_memset(ptr, i32, i64)
declare void @__asan_handle_no_return()
; Unused functions.
declare void @__asan_load2(i64)
declare void @__asan_register_globals(i64, i64)

; CHECK-NOT: declare {{.*}}@__asan_load
; CHECK-NOT: declare {{.*}}@__asan_register
; CHECK-LABEL: define ptx_kernel void @accesses(
; CHECK: call void @__gasan_check_range(i64 %a, i64 1, i32 0)
; CHECK-NEXT: call void @__gasan_check_range_noabort(i64 %a, i64 16, i32 1)
; CHECK-NEXT: call void @__gasan_check_range(i64 %a, i64 %n, i32 2)
; CHECK-NEXT: call void @__gasan_check_range(i64 %a, i64 3, i32 3)
; CHECK-NEXT: call void @__gasan_check_range_noabort(i64 %a, i64 %n, i32 2)
; CHECK-NEXT: call void @__gasan_report_noabort(i64 %a, i64 %n, i32 4)
; CHECK-NEXT: call void @__asan_handle_no_return()
; CHECK-NEXT: call void @__gasan_report(i64 %a, i64 4, i32 5)
; CHECK-NEXT: unreachable
; SITES: 10 sites, 2 kernels
; SITES: site 0 READ 1 from accesses
; SITES: site 1 READ 16 from accesses
; SITES: site 2 WRITE 0 from accesses
; SITES: site 3 WRITE 3 from accesses
; SITES: site 4 READ 0 from accesses
; SITES: site 5 WRITE 4 from accesses
define ptx_kernel void @accesses(i64 %a, i64 %n) {
  call void @__asan_load1(i64 %a)
  call void @__asan_load16_noabort(i64 %a)
  call void @__asan_storeN(i64 %a, i64 %n)
  call void @__asan_storeN(i64 %a, i64 3)
  call void @__asan_storeN_noabort(i64 %a, i64 %n)
  call void @__asan_report_load_n_noabort(i64 %a, i64 %n)
  call void @__asan_handle_no_return()
  call void @__asan_report_store4(i64 %a)
  unreachable
}

; CHECK-LABEL: define ptx_kernel void @memory(
; CHECK: %[[Q:.*]] = ptrtoint ptr %q to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[Q]], i64 %n, i32 [[#READ:]])
; CHECK-NEXT: %[[P:.*]] = ptrtoint ptr %p to i64
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[P]], i64 %n, i32 [[#WRITE:]])
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 40, i32
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 40, i32
; CHECK-NEXT: call void @llvm.memmove.p0.p0.i64(ptr %p, ptr %q, i64 40, i1 false)
; CHECK: call void @__gasan_check_range(i64 %{{.*}}, i64 %n, i32 [[#WRITE]])
; CHECK-NEXT: %[[BYTE:.*]] = trunc i32 %c to i8
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr %p, i8 %[[BYTE]], i64 %n, i1 false)
; CHECK-NEXT: store ptr %p, ptr %q
define ptx_kernel void @memory(ptr %p, ptr %q, i32 %c, i64 %n) {
  call ptr @__asan_memcpy(ptr %p, ptr %q, i64 %n)
  call ptr @__asan_memmove(ptr %p, ptr %q, i64 40)
  %r = call ptr @__asan_memset(ptr %p, i32 %c, i64 %n)
  store ptr %r, ptr %q
  ret void
}

; An indirect use stays.
; CHECK-LABEL: define ptr @pointer(
; CHECK-NEXT: ret ptr @__asan_store8
define ptr @pointer() {
  ret ptr @__asan_store8
}

; A function of such a name that the program defines is the program's.
; CHECK-LABEL: define void @__asan_load4(
; CHECK: call void @__asan_load4(i64 %a)
define void @__asan_load4(i64 %a) {
  ret void
}
define void @own(i64 %a) {
  call void @__asan_load4(i64 %a)
  ret void
}
