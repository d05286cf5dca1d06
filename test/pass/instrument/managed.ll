; __managed__ variables: device code reaches them through a pointer that the host sets; one load a function, which is
; not instrumented. An address in another variable's initial value is refused.
; RUN: split-file %s %t
; RUN: %opt_gasan -passes=gasan-managed -S %t/uses.ll | FileCheck %s
; RUN: %opt_gasan -passes=gasan-managed,gasan-managed -S %t/uses.ll | FileCheck %s
; RUN: not %opt_gasan -passes=gasan-managed -S %t/initial.ll 2>&1 | FileCheck %s --check-prefix=INITIAL

; CHECK: @managed__gasan_managed = addrspace(1) externally_initialized global ptr addrspace(1) @managed
; CHECK-NEXT: @managed = addrspace(1) externally_initialized global [4 x i32]
; CHECK-NEXT: @other = addrspace(1) externally_initialized global i32 1

; CHECK-LABEL: define void @kernel(
; CHECK-NEXT: entry:
; CHECK-NEXT: [[P:%.*]] = load ptr addrspace(1), ptr addrspace(1) @managed__gasan_managed,
; CHECK-SAME: {{^}} {{.*}}!invariant.load {{.*}}!nosanitize
; CHECK-NEXT: addrspacecast ptr addrspace(1) [[P]] to ptr
; CHECK: load i32, ptr addrspace(1) @other
; CHECK: phi ptr [ {{%.*}}, %a ], [ %p, %entry ]
; CHECK-LABEL: define void @without(
; CHECK-NEXT: ret void

; INITIAL: error: gasan: the address of the __managed__ variable 'managed' cannot be part of the initial value

;--- uses.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@managed = addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@other = addrspace(1) externally_initialized global i32 1
@text = private unnamed_addr addrspace(1) constant [14 x i8] c"gasan_managed\00", section "llvm.metadata"
@file = private unnamed_addr addrspace(1) constant [2 x i8] c"a\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr }] [{ ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr } { ptr addrspace(1) @managed, ptr addrspace(1) @text, ptr addrspace(1) @file, i32 1, ptr null }], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @managed to ptr)], section "llvm.metadata"

define void @kernel(i1 %c, ptr %p) {
entry:
  store i32 5, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @managed to ptr), i64 8)
  %v = load i32, ptr addrspace(1) @other
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %q = phi ptr [ addrspacecast (ptr addrspace(1) @managed to ptr), %a ], [ %p, %entry ]
  store i32 %v, ptr %q
  ret void
}

define void @without() {
  ret void
}

;--- initial.ll
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@managed = addrspace(1) externally_initialized global i32 1
@keeper = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @managed to ptr)
@text = private unnamed_addr addrspace(1) constant [14 x i8] c"gasan_managed\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr }] [{ ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), i32, ptr } { ptr addrspace(1) @managed, ptr addrspace(1) @text, ptr addrspace(1) @text, i32 1, ptr null }], section "llvm.metadata"
