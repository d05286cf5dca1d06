; The kernels that reach a site: direct calls, indirect calls of every function whose address is taken, and none. And
; the kernels of unknown stack size: recursion, indirect calls, variables of variable size.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s | python3 %S/Inputs/print_sites.py \
; RUN:   | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK: 4 sites, 5 kernels
; CHECK-NEXT: kernel direct 'direct' 2 sites, stack unknown{{$}}
; CHECK-NEXT: kernel indirect 'indirect' 1 sites, stack unknown{{$}}
; CHECK-NEXT: kernel idle 'idle' 0 sites{{$}}
; CHECK-NEXT: kernel variable 'variable' 0 sites, stack unknown{{$}}
; CHECK-NEXT: kernel twice 'twice' 0 sites{{$}}

@table = addrspace(1) constant [1 x ptr] [ptr @behind_pointer]

; CHECK: site 0 READ 4 from direct{{$}}
define internal i32 @recursive(ptr %p) "gasan-sanitize" {
  %v = load i32, ptr %p
  %r = call i32 @recursive(ptr %p)
  ret i32 %v
}

; CHECK: site 1 WRITE 4 from indirect{{$}}
define void @behind_pointer(ptr %p) "gasan-sanitize" {
  store i32 0, ptr %p
  ret void
}

; CHECK: site 2 READ 8 from nowhere{{$}}
define i64 @unused(ptr %p) "gasan-sanitize" {
  %v = load i64, ptr %p
  ret i64 %v
}

; Two accesses that are equal in a report are one site.
; CHECK: site 3 WRITE 1 from direct{{$}}
; CHECK-NOT: site
define ptx_kernel void @direct(ptr %p) "gasan-sanitize" {
  store i8 0, ptr %p
  store i8 1, ptr %p
  %v = call i32 @recursive(ptr %p)
  ret void
}

define ptx_kernel void @indirect(ptr %f, ptr %p) {
  call void %f(ptr %p)
  ret void
}

define ptx_kernel void @idle() {
  ret void
}

define void @dynamic(i64 %n) {
  %a = alloca i8, i64 %n
  call void @use(ptr %a)
  ret void
}
declare void @use(ptr)

define ptx_kernel void @variable(i64 %n) {
  call void @dynamic(i64 %n)
  ret void
}

; Two paths to one function are no recursion.
define internal void @leaf() {
  ret void
}
define internal void @middle() {
  call void @leaf()
  ret void
}
define ptx_kernel void @twice() {
  call void @middle()
  call void @middle()
  call void @leaf()
  ret void
}
