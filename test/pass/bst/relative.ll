; Sums of a pointer and a distance that may lead to another object, and their bounds.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-device-runtime=%device_bc \
; RUN:   -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s --check-prefix=LINKED <%t.ll
; RUN: llc -mcpu=sm_80 %t.ll -o %t.ptx
; RUN: %cuda/bin/ptxas -arch=sm_80 %t.ptx -o %t.cubin

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Loaded from the very address that it is added to: a root of its own.
; CHECK-LABEL: define ptx_kernel void @self(
; CHECK: %to = getelementptr i8, ptr %field, i64 %distance, !gasan.relative ![[OWN:[0-9]+]]
; CHECK: %[[TO:.*]] = ptrtoint ptr %to to i64
; CHECK-NEXT: call %struct.gasan_bounds @__gasan_bounds(i64 %[[TO]],
define ptx_kernel void @self(ptr %node, i64 %i) "gasan-sanitize" {
  %field = getelementptr i8, ptr %node, i64 8
  %distance = load i64, ptr %field, align 8
  %to = getelementptr i8, ptr %field, i64 %distance
  store i8 1, ptr %to, align 1
  ret void
}

; Loaded from elsewhere in the object: the bounds depend on the sum's address. A value of 32 bits is an index.
; CHECK-LABEL: define ptx_kernel void @object(
; CHECK: %[[BASE:gasan.base.*]] = extractvalue %struct.gasan_bounds %[[ROOT:.*]], 0
; CHECK: %[[SIZE:gasan.size.*]] = extractvalue %struct.gasan_bounds %[[ROOT]], 1
; CHECK: %[[OBJECT:gasan.object.*]] = extractvalue %struct.gasan_bounds %[[ROOT]], 2
; CHECK: %to = getelementptr i8, ptr %node, i64 %distance, !gasan.relative ![[OF:[0-9]+]]
; CHECK: %[[TO:.*]] = ptrtoint ptr %to to i64
; CHECK-NEXT: %[[R:.*]] = call %struct.gasan_bounds @__gasan_relative_bounds(i64 %[[TO]], i32 {{[-0-9]+}},
; CHECK-SAME: {{^}} i64 %[[BASE]], i64 %[[SIZE]], i32 %[[OBJECT]])
; CHECK-NEXT: extractvalue %struct.gasan_bounds %[[R]], 0
; CHECK: %near = getelementptr i8, ptr %node, i64 %wide{{$}}
; LINKED-LABEL: define ptx_kernel void @object(
; LINKED-NOT: @__gasan_relative_bounds
; LINKED: call %struct.gasan_bounds @__gasan_bounds_elsewhere(
define ptx_kernel void @object(ptr %node) "gasan-sanitize" {
  %field = getelementptr i8, ptr %node, i64 8
  %distance = load i64, ptr %field, align 8
  %to = getelementptr i8, ptr %node, i64 %distance
  store i8 1, ptr %to, align 1
  %short = load i32, ptr %field, align 8
  %wide = sext i32 %short to i64
  %near = getelementptr i8, ptr %node, i64 %wide
  store i8 1, ptr %near, align 1
  ret void
}

; Indices of elements, and bytes that another object stores.
; CHECK-LABEL: define ptx_kernel void @index(
; CHECK-NOT: !gasan.relative
; CHECK: ret void
define ptx_kernel void @index(ptr %list, ptr %text) "gasan-sanitize" {
  %next = load i64, ptr %list, align 8
  %to = getelementptr i64, ptr %list, i64 %next
  store i64 1, ptr %to, align 8
  %char = getelementptr i8, ptr %text, i64 %next
  store i8 1, ptr %char, align 1
  ret void
}

; Differences, divided by an element's size and multiplied again.
; CHECK-LABEL: define ptx_kernel void @difference(
; CHECK: %to = getelementptr %wide, ptr %a, i64 %elements, !gasan.relative ![[OWN]]
; CHECK: %back = getelementptr i8, ptr %b, i64 %negative, !gasan.relative ![[OWN]]
; CHECK: %half = getelementptr %wide, ptr %a, i64 %middle{{$}}
; CHECK: %other = getelementptr i8, ptr %c, i64 %bytes, !gasan.relative ![[OF]]
; CHECK: %same = getelementptr i8, ptr %c, i64 %number{{$}}
%wide = type { i32, i32, i32 }
define ptx_kernel void @difference(ptr %a, ptr %b, ptr %c, i64 %i) "gasan-sanitize" {
  %first = ptrtoint ptr %a to i64
  %last = ptrtoint ptr %b to i64
  %bytes = sub i64 %last, %first
  %elements = sdiv exact i64 %bytes, 12
  %to = getelementptr %wide, ptr %a, i64 %elements
  store i32 1, ptr %to, align 4
  %negative = sub i64 0, %bytes
  %back = getelementptr i8, ptr %b, i64 %negative
  store i32 1, ptr %back, align 4
  %middle = sdiv i64 %elements, 2
  %half = getelementptr %wide, ptr %a, i64 %middle
  store i32 1, ptr %half, align 4
  %other = getelementptr i8, ptr %c, i64 %bytes
  store i8 1, ptr %other, align 1
  %end = getelementptr i8, ptr %a, i64 %i
  %limit = ptrtoint ptr %end to i64
  %number = sub i64 %limit, %first
  %same = getelementptr i8, ptr %c, i64 %number
  store i8 1, ptr %same, align 1
  ret void
}

; As integers, in both directions.
; CHECK-LABEL: define ptx_kernel void @integers(
; CHECK: %to = inttoptr i64 %sum to ptr, !gasan.relative ![[OWN]]
; CHECK: %plain = inttoptr i64 %more to ptr{{$}}
define ptx_kernel void @integers(ptr %node, i64 %i) "gasan-sanitize" {
  %address = ptrtoint ptr %node to i64
  %distance = load i64, ptr %node, align 8
  %sum = sub i64 %address, %distance
  %to = inttoptr i64 %sum to ptr
  store i8 1, ptr %to, align 1
  %more = add i64 %address, %i
  %plain = inttoptr i64 %more to ptr
  store i8 1, ptr %plain, align 1
  ret void
}

; From a caller, in elements of its own; by a function.
; CHECK-LABEL: define internal { ptr, i64, i64, i32 } @move.bounds(
; CHECK: %to = getelementptr i32, ptr %from, i64 %by, !gasan.relative ![[OWN]]
; CHECK-LABEL: define internal { ptr, i64, i64, i32 } @stay.bounds(
; CHECK: %to = getelementptr i8, ptr %from, i64 %by{{$}}
; CHECK-LABEL: define ptx_kernel void @calls(
; CHECK: %got = getelementptr i8, ptr %a, i64 %loaded, !gasan.relative ![[OWN]]
; CHECK: ![[OWN]] = !{}
; CHECK: ![[OF]] = !{!"object"}
define ptr @move(ptr %from, i64 %by) "gasan-sanitize" {
  %to = getelementptr i32, ptr %from, i64 %by
  ret ptr %to
}

define ptr @stay(ptr %from, i64 %by) "gasan-sanitize" {
  %to = getelementptr i8, ptr %from, i64 %by
  ret ptr %to
}

define i64 @distance(ptr %of) "gasan-sanitize" {
  %value = load i64, ptr %of, align 8
  ret i64 %value
}

define ptx_kernel void @calls(ptr %a, ptr %b, i64 %i) "gasan-sanitize" {
  %first = ptrtoint ptr %a to i64
  %last = ptrtoint ptr %b to i64
  %bytes = sub i64 %last, %first
  %elements = ashr exact i64 %bytes, 2
  %to = call ptr @move(ptr %a, i64 %elements)
  store i32 1, ptr %to, align 4
  %stays = call ptr @stay(ptr %a, i64 %i)
  store i8 1, ptr %stays, align 1
  %loaded = call i64 @distance(ptr %a)
  %got = getelementptr i8, ptr %a, i64 %loaded
  store i8 1, ptr %got, align 1
  ret void
}
