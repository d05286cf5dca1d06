; Beside code for GPUs, a few passes replace clang's optimiser. They inline, remove what nothing uses, and make values of
; variables. Alone, the image gets the optimiser of the command line's level.
; RUN: %opt_gasan '-passes=default<O1>' -gasan-retarget -gasan-devices=auto -gasan-cpu-helpers=%cpu_bc \
; RUN:   -debug-pass-manager -S %s -o %t.ll 2>%t.passes
; RUN: FileCheck --check-prefix=FEW %s < %t.passes
; RUN: FileCheck %s < %t.ll
; RUN: %opt_gasan '-passes=default<O1>' -gasan-retarget -gasan-devices=cpu -gasan-cpu-helpers=%cpu_bc \
; RUN:   -debug-pass-manager -disable-output %s 2>&1 | FileCheck --check-prefix=ALL %s
; FEW: Running pass: {{.*}}RetargetPass
; FEW: Running pass: AlwaysInlinerPass
; FEW-NOT: Running pass: InstCombinePass
; FEW: Running pass: {{.*}}CoverageTablesPass
; FEW-NOT: Running pass: InstCombinePass
; ALL: Running pass: {{.*}}RetargetPass
; ALL: Running pass: InstCombinePass
target triple = "nvptx64-nvidia-cuda"

; The block's loop calls the body, which is inlined, and has no variable on the stack.
; CHECK: define {{.*}}@gasan.block.set(
; CHECK-NOT: alloca
; CHECK: store i32 3
; CHECK-NOT: {{alloca|call .*@gasan.thread.set}}
; CHECK: {{^}}}
define ptx_kernel void @set(ptr %p) "target-cpu"="sm_80" {
  %v = alloca i32
  store i32 3, ptr %v
  %l = load i32, ptr %v
  store i32 %l, ptr %p
  ret void
}
