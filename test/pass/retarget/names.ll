; The object shares no name with the rest of the program, and uses only the engine's functions from outside.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -S %s 2>%t.err | FileCheck %s
; RUN: FileCheck --check-prefix=WARN %s < %t.err
; RUN: llvm-as %s -o %t.bc
; RUN: %clang -x ir --target=x86_64-pc-linux-gnu -Wno-override-module -O2 -march=x86-64-v3 -fPIC -fpass-plugin=%plugin \
; RUN:   -Xclang -load -Xclang %plugin -mllvm -gasan-retarget -mllvm -gasan-cpu-image-id=i \
; RUN:   -mllvm -gasan-cpu-helpers=%cpu_bc -c %t.bc -o %t.o
; RUN: llvm-nm --extern-only %t.o \
; RUN:   | grep -vxE ' +U (_exit|access|asprintf|dl_iterate_phdr|execv|fprintf|.*env|readlink|stderr|str.*|mem.*)' \
; RUN:   | FileCheck --check-prefix=OBJECT %s
target triple = "nvptx64-nvidia-cuda"

; OBJECT-NOT: {{ [A-TV-Z] }}
; OBJECT-NOT: {{ U }}
; OBJECT: w gasan_cpu_free
; OBJECT-NOT: {{ [A-TV-Z] }}
; OBJECT-NOT: {{ U }}

; A declaration that clang refers to at -O0 for its address only.
; CHECK: @threadIdx = internal addrspace(1) global
@threadIdx = extern_weak addrspace(1) global i8

; CHECK: define internal float @sinf.device(
define float @sinf(float %x) "target-cpu"="sm_80" {
  ret float 1.0
}

; CHECK: define internal ptr @_Znwm.device(i64 %n)
; CHECK: call ptr @gasan_cpu_malloc(i64 %n)
define ptr @_Znwm(i64 %n) {
  %p = call ptr @malloc(i64 %n)
  ret ptr %p
}

; CHECK: define internal void @_ZN1A1fEv(
; CHECK: call i32 @gasan_cpu_vprintf(ptr null, ptr null)
; CHECK: call void @gasan_cpu_free(ptr %p)
; CHECK: call double @gasan_nan(ptr
define linkonce_odr void @_ZN1A1fEv() {
  %p = call ptr @_Znwm(i64 4)
  call i32 @vprintf(ptr null, ptr null)
  call void @free(ptr %p)
  call double @_ZL3nanPKc(ptr @threadIdx.alias)
  ret void
}
@threadIdx.alias = private constant [1 x i8] zeroinitializer

; WARN: undefined device function getenv is not supported on the CPU device
; CHECK: define internal ptr @getenv.device(
; CHECK: call void @gasan_cpu_unsupported(
define ptx_kernel void @kernel() {
  call void @_ZN1A1fEv()
  call ptr @getenv(ptr null)
  ret void
}

declare ptr @getenv(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @vprintf(ptr, ptr)
declare double @_ZL3nanPKc(ptr)
