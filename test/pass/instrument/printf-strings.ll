; The strings that printf reads are checked before the call: the format shows which arguments are strings.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefixes=BOTH,BST
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefixes=BOTH,SHADOW

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@one = private unnamed_addr constant [4 x i8] c"%s\0A\00"
@mixed = private unnamed_addr constant [38 x i8] c"%d%% %5.2f %ld %c%s %*s %.3s %p%ls %s\00"
@precision = private unnamed_addr constant [11 x i8] c"%s %.*s %s\00"
@positional = private unnamed_addr constant [10 x i8] c"%1$s %s %s"
@constant = private unnamed_addr constant [6 x i8] c"const\00"
@other = private unnamed_addr constant [6 x i8] c"other\00"
@open = private unnamed_addr constant [5 x i8] c"const"

declare i32 @vprintf(ptr, ptr)

; BOTH-LABEL: define void @argument(
; BST: %[[SIZE:.*]] = call i64 @__gasan_string_size(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 -1)
; BST: icmp uge i64
; BST: call void @__gasan_report_bounds(
; SHADOW: %[[SIZE:.*]] = call i64 @__gasan_shadow_string_size(i64 %{{.*}}, i64 -1)
; SHADOW-NEXT: ptrtoint
; SHADOW-NEXT: call void @__gasan_check_range(i64 %{{.*}}, i64 %[[SIZE]],
; BOTH: call i32 @vprintf(
define void @argument(ptr %text) sanitize_address {
  %buffer = alloca { ptr }
  store ptr %text, ptr %buffer
  %n = call i32 @vprintf(ptr @one, ptr %buffer)
  ret void
}

; Null-terminated constants cost nothing, also as a select of several.
; BOTH-LABEL: define void @constants(
; BOTH-NOT: string_size
; BOTH-NOT: __gasan_bounds
; BOTH: ret void
define void @constants(i1 %which) sanitize_address {
  %buffer = alloca { ptr }
  %text = select i1 %which, ptr @constant, ptr @other
  store ptr %text, ptr %buffer
  %n = call i32 @vprintf(ptr @one, ptr %buffer)
  %m = call i32 @vprintf(ptr @constant, ptr null)
  ret void
}

; A constant without terminator is an ordinary variable.
; BOTH-LABEL: define void @unterminated(
; BST: call i64 @__gasan_string_size(i64 ptrtoint (ptr @open to i64), i64 ptrtoint (ptr @open to i64), i64 5, i64 -1)
define void @unterminated() sanitize_address {
  %buffer = alloca { ptr }
  store ptr @open, ptr %buffer
  %n = call i32 @vprintf(ptr @one, ptr %buffer)
  ret void
}

; After i32, double, i64, i32: 32 bytes. The width is at 40. A wide string is not checked.
; BOTH-LABEL: define void @arguments(
; BST: ptrtoint ptr %a to i64
; BST: call i64 @__gasan_string_size({{.*}}, i64 -1)
; BST: ptrtoint ptr %b to i64
; BST: call i64 @__gasan_string_size({{.*}}, i64 -1)
; BST: ptrtoint ptr %c to i64
; BST: call i64 @__gasan_string_size({{.*}}, i64 3)
; BST: ptrtoint ptr %d to i64
; BST: call i64 @__gasan_string_size({{.*}}, i64 -1)
; BOTH: call i32 @vprintf(
define void @arguments(ptr %a, ptr %b, ptr %c, ptr %wide, ptr %d) sanitize_address {
  %buffer = alloca { i32, double, i64, i32, ptr, i32, ptr, ptr, ptr, ptr, ptr }
  store i32 1, ptr %buffer
  %p4 = getelementptr i8, ptr %buffer, i64 32
  store ptr %a, ptr %p4
  %p5 = getelementptr i8, ptr %buffer, i64 40
  store i32 7, ptr %p5
  %p7 = getelementptr i8, ptr %buffer, i64 48
  store ptr %b, ptr %p7
  %p8 = getelementptr i8, ptr %buffer, i64 56
  store ptr %c, ptr %p8
  %p10 = getelementptr i8, ptr %buffer, i64 72
  store ptr %wide, ptr %p10
  %p11 = getelementptr i8, ptr %buffer, i64 80
  store ptr %d, ptr %p11
  %n = call i32 @vprintf(ptr @mixed, ptr %buffer)
  ret void
}

; CUDA has no precision among the arguments: the places of later arguments are not known.
; BST-LABEL: define void @precision_among_arguments(
; BST-COUNT-1: call i64 @__gasan_string_size(
; BST-NOT: call i64 @__gasan_string_size(
; BST: ret void
define void @precision_among_arguments(ptr %a, ptr %b, ptr %c) sanitize_address {
  %buffer = alloca { ptr, i32, ptr, ptr }
  store ptr %a, ptr %buffer
  %p1 = getelementptr i8, ptr %buffer, i64 8
  store i32 4, ptr %p1
  %p2 = getelementptr i8, ptr %buffer, i64 16
  store ptr %b, ptr %p2
  %p3 = getelementptr i8, ptr %buffer, i64 24
  store ptr %c, ptr %p3
  %n = call i32 @vprintf(ptr @precision, ptr %buffer)
  ret void
}

; A pointer whose store is not visible is loaded.
; BOTH-LABEL: define void @elsewhere(
; BST: %[[TEXT:.*]] = load ptr, ptr %
; BST: %[[ADDRESS:.*]] = ptrtoint ptr %[[TEXT]] to i64
; BST: call i64 @__gasan_string_size(
define void @elsewhere(ptr %buffer) sanitize_address {
  %n = call i32 @vprintf(ptr @one, ptr %buffer)
  ret void
}

; A call without the argument that its format names reads none of our arguments.
; BOTH-LABEL: define void @missing(
; BOTH-NOT: string_size
; BOTH: ret void
define void @missing() sanitize_address {
  %buffer = alloca { i32 }
  store i32 1, ptr %buffer
  %n = call i32 @vprintf(ptr @one, ptr %buffer)
  %m = call i32 @vprintf(ptr @one, ptr null)
  ret void
}

; A format is a string, too. Its arguments are found out at run time: the buffer has 16 bytes, or none.
; BOTH-LABEL: define void @format(
; BST: call i64 @__gasan_string_size(
; BST: call void @__gasan_check_printf(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 16, i32
; BST: call i64 @__gasan_string_size(
; BST: call void @__gasan_check_printf(i64 %{{.*}}, i64 %{{.*}}, i64 %{{.*}}, i64 0, i64 0, i32
; SHADOW: call i64 @__gasan_shadow_string_size(
; SHADOW-NOT: __gasan_check_printf
; BOTH: ret void
define void @format(ptr %format, ptr %text) sanitize_address {
  %buffer = alloca { ptr, i32 }
  store ptr %text, ptr %buffer
  %n = call i32 @vprintf(ptr %format, ptr %buffer)
  %m = call i32 @vprintf(ptr %format, ptr null)
  ret void
}

; BOTH-LABEL: define void @which_format(
; BST: call void @__gasan_check_printf(
; BOTH: call i32 @vprintf(
define void @which_format(i1 %which, ptr %text) sanitize_address {
  %buffer = alloca { ptr }
  store ptr %text, ptr %buffer
  %format = select i1 %which, ptr @one, ptr @constant
  %n = call i32 @vprintf(ptr %format, ptr %buffer)
  ret void
}
