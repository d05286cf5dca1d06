; Code whose pointers have tags: an access's address has none; checked and stored pointers have one.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-tags=on -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s
; RUN: not %opt_gasan -gasan-mode=shadow -gasan-tags=on -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SHADOW
; SHADOW: error: gasan: -gasan-tags=on with -gasan-mode=shadow: choose on, with bst, or off
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument -S %s \
; RUN:   | FileCheck %s --check-prefix=OFF
; OFF-NOT: -72057594037927936

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@variable = addrspace(1) global i32 0

; The image's flag: GASAN_FLAG_TAGS.
; CHECK: @__gasan_params = {{.*}} i32 4 }

; CHECK-LABEL: define ptr @checked(
; CHECK: call %struct.gasan_bounds @__gasan_bounds(i64
; CHECK: %[[ADDRESSI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[ADDRESSN:.*]] = sub i64 0, %[[ADDRESSI]]
; CHECK: %[[ADDRESS:.*]] = getelementptr i8, ptr %p, i64 %[[ADDRESSN]]
; CHECK: %loaded = load ptr, ptr %[[ADDRESS]]
; CHECK: %[[INNERI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[INNERN:.*]] = sub i64 0, %[[INNERI]]
; CHECK: %[[INNER:.*]] = getelementptr i8, ptr %loaded, i64 %[[INNERN]]
; CHECK: store ptr %p, ptr %[[INNER]]
; CHECK: ret ptr %p
define ptr @checked(ptr %p) "gasan-sanitize" {
  %loaded = load ptr, ptr %p, align 8
  store ptr %p, ptr %loaded, align 8
  ret ptr %p
}

; CHECK-LABEL: define i1 @unchecked(
; CHECK-NOT: @__gasan_bounds
; CHECK: %[[G:.*]] = getelementptr i8, ptr addrspace(1) %g, i64
; CHECK: load i32, ptr addrspace(1) %[[G]]
; CHECK: icmp eq ptr %p, %q
define i1 @unchecked(ptr %p, ptr %q, ptr addrspace(1) %g) {
  %value = load i32, ptr addrspace(1) %g, align 4
  %same = icmp eq ptr %p, %q
  ret i1 %same
}

; CHECK-LABEL: define i32 @untagged(
; CHECK-NOT: -72057594037927936
; CHECK: ret i32
define i32 @untagged(ptr addrspace(3) %shared) {
  %local = alloca i32, align 4
  store i32 1, ptr %local, align 4
  %one = load i32, ptr addrspace(3) %shared, align 4
  %two = load i32, ptr addrspace(1) @variable, align 4
  %sum = add i32 %one, %two
  ret i32 %sum
}

; Inline PTX: addresses lose their tag, a stored value keeps it; arithmetic is the program's; numbers of asm that the
; pass does not understand are looked up at run time.
; CHECK-LABEL: define i64 @ptx(
; CHECK: %[[PI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[PN:.*]] = sub i64 0, %[[PI]]
; CHECK: %[[P:.*]] = getelementptr i8, ptr %p, i64 %[[PN]]
; CHECK: call void asm sideeffect "st.global.u64 [$0], $1;", "l,l"(ptr %[[P]], ptr %value)
; CHECK: %[[N:.*]] = and i64 %n, 72057594037927935
; CHECK: call i32 asm sideeffect "ld.global.u32 $0, [$1+4];", "=r,l"(i64 %[[N]])
; CHECK: call i64 asm "add.u64 $0, $1, 8;", "=l,l"(ptr %p)
; CHECK: %[[M:.*]] = call i64 @__gasan_untag(i64 %m)
; CHECK: asm sideeffect "unknown.instruction [$0], $1;", "l,r"(i64 %[[M]], i32 1)
define i64 @ptx(ptr %p, ptr %value, i64 %n, i64 %m) {
  call void asm sideeffect "st.global.u64 [$0], $1;", "l,l"(ptr %p, ptr %value)
  %read = call i32 asm sideeffect "ld.global.u32 $0, [$1+4];", "=r,l"(i64 %n)
  %sum = call i64 asm "add.u64 $0, $1, 8;", "=l,l"(ptr %p)
  call void asm sideeffect "unknown.instruction [$0], $1;", "l,r"(i64 %m, i32 1)
  ret i64 %sum
}

declare i32 @vprintf(ptr, ptr)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @callee(ptr byval(i64) %copy) { ret void }
define void @kept(ptr %p) { ret void }

; Calls: code without checks gets pointers without tags, checked functions get them unchanged, and a by-value copy is
; made by the caller.
; CHECK-LABEL: define void @calls(
; CHECK: %[[COPY:.*]] = alloca [32 x i64]
; CHECK: %[[AI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[AN:.*]] = sub i64 0, %[[AI]]
; CHECK: %[[A:.*]] = getelementptr i8, ptr %p, i64 %[[AN]]
; CHECK: %[[BI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[BN:.*]] = sub i64 0, %[[BI]]
; CHECK: %[[B:.*]] = getelementptr i8, ptr %q, i64 %[[BN]]
; CHECK: %[[F:.*]] = ptrtoint ptr %[[A]] to i64
; CHECK: %[[L:.*]] = ptrtoint ptr %[[B]] to i64
; CHECK: %[[COPYI:.*]] = ptrtoint ptr %[[COPY]] to i64
; CHECK: %[[STRIPPEDI:.*]] = call i64 @__gasan_untag_strings(i64 %[[F]], i64 %[[L]], i64 -1, i64 %[[COPYI]])
; CHECK: %[[STRIPPED:.*]] = inttoptr i64 %[[STRIPPEDI]] to ptr
; CHECK: call i32 @vprintf(ptr %[[A]], ptr %[[STRIPPED]])
; CHECK: call void @kept(ptr %p)
; CHECK: %[[CI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[CN:.*]] = sub i64 0, %[[CI]]
; CHECK: %[[C:.*]] = getelementptr i8, ptr %p, i64 %[[CN]]
; CHECK: call void @callee(ptr byval(i64) %[[C]])
; CHECK: %[[DI:.*]] = and i64 {{.*}}, -72057594037927936
; CHECK: %[[DN:.*]] = sub i64 0, %[[DI]]
; CHECK: %[[D:.*]] = getelementptr i8, ptr %p, i64 %[[DN]]
; CHECK: call i1 @llvm.nvvm.isspacep.shared(ptr %[[D]])
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %{{.*}}, ptr %{{.*}}, i64 8, i1 false)
define void @calls(ptr %p, ptr %q) {
  %printed = call i32 @vprintf(ptr %p, ptr %q)
  call void @kept(ptr %p)
  call void @callee(ptr byval(i64) %p)
  %shared = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 false)
  ret void
}

@string = addrspace(1) constant [6 x i8] c"%d %s\00"
@number = addrspace(1) constant [8 x i8] c"%d %p\0A\00\00"

; printf follows the pointers to strings that it finds in the buffer, so it gets a copy, in functions without checks,
; too. Other pointers are printed as they are.
; CHECK-LABEL: define void @prints(
; CHECK: %[[ROOM:.*]] = alloca [2 x i64]
; CHECK: %[[ROOMI:.*]] = ptrtoint ptr %[[ROOM]] to i64
; CHECK: %[[TEXTI:.*]] = call i64 @__gasan_untag_strings(i64 ptrtoint (ptr addrspacecast (ptr addrspace(1) @string to
; CHECK-SAME: {{^}} ptr) to i64), i64 %{{.*}}, i64 16, i64 %[[ROOMI]])
; CHECK-NEXT: %[[TEXT:.*]] = inttoptr i64 %[[TEXTI]] to ptr
; CHECK-NEXT: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @string to ptr), ptr %[[TEXT]])
; CHECK-NEXT: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @number to ptr), ptr %buffer)
; CHECK-NEXT: call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @string to ptr), ptr null)
; CHECK-NEXT: ret void
define void @prints(ptr %text) {
  %buffer = alloca [16 x i8], align 8
  %second = getelementptr i8, ptr %buffer, i64 8
  store i32 7, ptr %buffer, align 8
  store ptr %text, ptr %second, align 8
  %a = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @string to ptr), ptr %buffer)
  %b = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @number to ptr), ptr %buffer)
  %c = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @string to ptr), ptr null)
  ret void
}
