; The device runtime calls CUDA's malloc and free only in modules that other code is linked to. CUDA's driver reserves
; memory of the heap's whole limit for a program that refers to them.
; RUN: %opt_gasan -gasan-mode=bst -gasan-device-runtime=%device_bc -passes=gasan-mark,gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=ALONE --implicit-check-not='@malloc(' --implicit-check-not='@free('
; RUN: cat %s > %t.ll && echo 'declare ptr @elsewhere()' >> %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-device-runtime=%device_bc -passes=gasan-mark,gasan-instrument,verify -S %t.ll \
; RUN:   | FileCheck %s --check-prefix=LINKED
; So does an asm statement that calls.
; RUN: cat %s > %t.ll && echo 'define void @asm() { call void asm sideeffect "call elsewhere;", ""() ret void }' >> %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-device-runtime=%device_bc -passes=gasan-mark,gasan-instrument,verify -S %t.ll \
; RUN:   | FileCheck %s --check-prefix=LINKED
; A module that frees and does not allocate gets the memory from other modules, which may be some without checks.
; RUN: sed '/@malloc(i64 40)/d; s/store ptr %%p/store ptr null/' %s > %t.ll
; RUN: %opt_gasan -gasan-mode=bst -gasan-device-runtime=%device_bc -passes=gasan-mark,gasan-instrument,verify -S %t.ll \
; RUN:   | FileCheck %s --check-prefix=FREES --implicit-check-not='@malloc('
; FREES: define internal void @__gasan_free(
; FREES: call void @free(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @vprintf(ptr, ptr)

; ALONE-LABEL: define void @both(
; ALONE: call ptr @__gasan_malloc(
; ALONE: call void @__gasan_free(
; ALONE: define internal ptr @__gasan_malloc(
; ALONE: define internal void @__gasan_free(
; LINKED: call ptr @malloc(
; LINKED: call void @free(
define void @both(ptr %where) sanitize_address {
  %p = call ptr @malloc(i64 40)
  store ptr %p, ptr %where
  %q = load volatile ptr, ptr %where
  call void @free(ptr %q)
  %printed = call i32 @vprintf(ptr null, ptr null)
  ret void
}
