; Code that LLVM's back end refuses or miscompiles: atomic operations on local memory, kernels' parameters in uses that
; it does not follow, and masked pointers whose address space it knows. All modes, from llc to ptxas.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefixes=CHECK,BST
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=128 -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=shadow -gasan-pool=handles -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: for mode in "-gasan-mode=bst -gasan-launch-proof=off" "-gasan-mode=bst -gasan-launch-proof=on" \
; RUN:   "-gasan-mode=bst -gasan-tags=on" "-gasan-mode=shadow -gasan-granule=8" \
; RUN:   "-gasan-mode=shadow -gasan-pool=handles"; do \
; RUN:   %opt_gasan $mode -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify %s -o %t.bc || exit 1; \
; RUN:   for level in 0 2; do llc -O$level -mcpu=sm_90 %t.bc -o %t.s && %cuda/bin/ptxas -c -arch=sm_90 %t.s -o %t.o \
; RUN:     || exit 1; done; done

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@global = addrspace(1) global [10 x i32] zeroinitializer

declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @take(ptr byval({ ptr, i32 }))
declare i32 @escape(ptr)

; The check remains that of an atomic operation.
; CHECK-LABEL: define ptx_kernel void @variables(
; BST: call void @__gasan_report_bounds
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @variables(ptr %out, i1 %c, i64 %i) "gasan-sanitize" {
  %a = alloca [4 x i32], align 4
  %b = alloca [4 x i32], align 4
  store i32 1, ptr %a, align 4
  store i32 2, ptr %b, align 4
  %p = select i1 %c, ptr %a, ptr %b
  %q = getelementptr inbounds i32, ptr %p, i64 %i
  %old = atomicrmw add ptr %q, i32 1 seq_cst, align 4
  %pair = cmpxchg ptr %q, i32 1, i32 2 seq_cst seq_cst, align 4
  %x = extractvalue { i32, i1 } %pair, 0
  %y = load volatile i32, ptr %a, align 4
  %z = load volatile i32, ptr %b, align 4
  %sum = add i32 %old, %x
  store i32 %sum, ptr %out, align 4
  ret void
}

; A variable that BST mode moves to the memory of the thread's frames.
; CHECK-LABEL: define ptx_kernel void @escaped(
; CHECK-NOT: atomicrmw
; CHECK: {{^}}}
define ptx_kernel void @escaped(ptr %out) "gasan-sanitize" {
  %a = alloca i32, align 4
  store i32 0, ptr %a, align 4
  %old = atomicrmw add ptr %a, i32 1 seq_cst, align 4
  %x = call i32 @escape(ptr %a)
  store i32 %x, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @not_private(
; CHECK: atomicrmw
; CHECK: atomicrmw
; CHECK: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @not_private(ptr %out, i1 %c) {
  %a = alloca i32, align 4
  store i32 0, ptr %a, align 4
  %p = select i1 %c, ptr %a, ptr %out
  %x = atomicrmw add ptr %p, i32 1 seq_cst, align 4
  %y = atomicrmw add ptr addrspace(1) @global, i32 1 seq_cst, align 4
  %z = cmpxchg ptr %out, i32 1, i32 2 seq_cst seq_cst, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @parameter(
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @parameter(ptr byval({ ptr, i32 }) %p, ptr %out) "gasan-sanitize" {
  %q = getelementptr inbounds i8, ptr %p, i64 8
  %x = atomicrmw add ptr %q, i32 1 seq_cst, align 4
  %pair = cmpxchg ptr %q, i32 1, i32 2 seq_cst seq_cst, align 4
  %y = load i32, ptr %q, align 4
  store i32 %y, ptr %out, align 4
  ret void
}

; Local memory by its address space.
; CHECK-LABEL: define ptx_kernel void @local(
; CHECK-NOT: atomicrmw
; CHECK-NOT: cmpxchg
; CHECK: {{^}}}
define ptx_kernel void @local(i64 %address) {
  %p = inttoptr i64 %address to ptr addrspace(5)
  %q = addrspacecast ptr addrspace(5) %p to ptr
  %x = atomicrmw add ptr %q, i32 1 seq_cst, align 4
  %pair = cmpxchg ptr addrspace(5) %p, i32 1, i32 2 seq_cst seq_cst, align 4
  ret void
}

; A function's parameter is a variable of its own.
; CHECK-LABEL: define i32 @callee(
; CHECK-NOT: atomicrmw
; CHECK: {{^}}}
define i32 @callee(ptr byval({ ptr, i32 }) %p) {
  %x = atomicrmw add ptr %p, i32 1 seq_cst, align 4
  ret i32 %x
}

; CHECK-LABEL: define ptx_kernel void @frozen(
; CHECK: %p1 = alloca { ptr, i32 }
; CHECK-NEXT: call void @llvm.memcpy.{{.*}}(ptr align 8 %p1, ptr align 8 %p, i64 16, i1 false)
; CHECK: freeze ptr %p1
; CHECK: {{^}}}
define ptx_kernel void @frozen(ptr byval({ ptr, i32 }) align 8 %p) {
  %f = freeze ptr %p
  call void @take(ptr byval({ ptr, i32 }) %f)
  ret void
}

; Only its address is used; the copy reads it.
; CHECK-LABEL: define ptx_kernel void @compared(ptr byval({ ptr, i32 }) %p, ptr %out)
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @compared(ptr readnone byval({ ptr, i32 }) %p, ptr %out) {
  %f = freeze ptr %p
  %c = icmp ult ptr %f, %out
  %x = zext i1 %c to i32
  store i32 %x, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @element_compared(
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @element_compared(ptr byval({ ptr, i32 }) %p, ptr %out, i64 %i) {
  %q = getelementptr i32, ptr %p, i64 %i
  %c = icmp ult ptr %q, %out
  %x = zext i1 %c to i32
  store i32 %x, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @frozen_read(
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @frozen_read(ptr readonly byval({ ptr, i32 }) %p, ptr %out, i1 %c) {
  %q = getelementptr i8, ptr %p, i64 8
  %s = select i1 %c, ptr %p, ptr %q
  %f = freeze ptr %s
  %x = load i32, ptr %f, align 4
  store i32 %x, ptr %out, align 4
  ret void
}

; CHECK-LABEL: define ptx_kernel void @vector(
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @vector(ptr byval({ ptr, i32 }) %p, ptr %out) {
  %one = insertelement <2 x ptr> poison, ptr %p, i64 0
  %both = insertelement <2 x ptr> %one, ptr %out, i64 1
  %x = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %both, <2 x i1> splat (i1 true), <2 x i32> poison)
  store <2 x i32> %x, ptr %out, align 8
  ret void
}

; CHECK-LABEL: define ptx_kernel void @elements(
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @elements(ptr byval({ ptr, i32 }) %p, ptr %out, i64 %i) {
  %both = getelementptr i32, ptr %p, <2 x i64> splat (i64 1)
  %all = insertelement <2 x ptr> %both, ptr %out, i64 %i
  %x = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> align 4 %all, <2 x i1> splat (i1 true), <2 x i32> poison)
  store <2 x i32> %x, ptr %out, align 8
  ret void
}

; CHECK-LABEL: define ptx_kernel void @aggregate(
; CHECK: alloca { ptr, i32 }
define ptx_kernel void @aggregate(ptr byval({ ptr, i32 }) %p, ptr %out) {
  %both = insertvalue { ptr, ptr } poison, ptr %p, 0
  %q = extractvalue { ptr, ptr } %both, 0
  store i32 1, ptr %q, align 4
  %x = load volatile i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  ret void
}

; A checked parameter costs no copy.
; CHECK-LABEL: define ptx_kernel void @checked(
; CHECK-NOT: alloca
; CHECK: {{^}}}
define ptx_kernel void @checked(ptr byval([8 x i32]) align 4 %p, ptr %out, i64 %i) "gasan-sanitize" {
  %q = getelementptr i32, ptr %p, i64 %i
  %x = load i32, ptr %q, align 4
  store i32 %x, ptr %out, align 4
  ret void
}

; Uses that the back end follows cost no copy, and the address of a constant of the grid must not change.
; CHECK-LABEL: define ptx_kernel void @followed(
; CHECK-NOT: alloca
; CHECK: {{^}}}
define ptx_kernel void @followed(ptr byval({ ptr, i32 }) %p, ptr byval({ ptr, i32 }) "nvvm.grid_constant" %grid, ptr %out, i1 %c, i64 %i) {
  %a = getelementptr i32, ptr %p, i64 %i
  %q = select i1 %c, ptr %a, ptr %p
  %x = load i32, ptr %q, align 4
  %v = load <2 x i32>, ptr %p, align 8
  store <2 x i32> %v, ptr %out, align 8
  %b = ptrtoint ptr %p to i64
  %f = freeze ptr %grid
  store i32 %x, ptr %out, align 4
  store i64 %b, ptr %out, align 8
  store ptr %f, ptr %out, align 8
  ret void
}

; CHECK-LABEL: define i32 @masked(
; CHECK-NOT: llvm.ptrmask
; CHECK: {{^}}}
define i32 @masked(i64 %i, i64 %mask) "gasan-sanitize" {
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(1) @global to ptr), i64 %i
  %q = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 %mask)
  %r = getelementptr i32, ptr %q, i64 %i
  %x = load i32, ptr %r, align 4
  ret i32 %x
}
