; In a linked module, calls may know a function of another file by other types: they get the definition's.
; RUN: %opt_gasan -passes=gasan-mark,verify -S %s | FileCheck %s
; RUN: sed 's/; WRONG //' %s >%t.ll
; RUN: not %opt_gasan -passes=gasan-mark -S %t.ll 2>&1 | FileCheck --check-prefix=WRONG %s
; WRONG: error: gasan: 'caller(int)' calls 'few(int)' with other parameters than another file defines it with
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @take(ptr %p, i32 %n, float %x, i8 signext %c) {
  ret i32 %n
}

define [2 x i32] @pair(ptr byval([8 x i8]) align 4 %p) {
  %value = load [2 x i32], ptr %p
  ret [2 x i32] %value
}

define void @_Z3fewi(i32 %n) {
  ret void
}

declare i32 @outside(i64, i64)

; CHECK-LABEL: define void @_Z6calleri
; CHECK: [[MEMORY:%.*]] = alloca [2 x i32], align 8
; CHECK: [[P:%.*]] = inttoptr i64 %p to ptr
; CHECK: [[N:%.*]] = sext i8 %n to i32
; CHECK: [[X:%.*]] = bitcast i32 %x to float
; CHECK: [[R:%.*]] = call i32 @take(ptr [[P]], i32 [[N]], float [[X]], i8 signext 7)
; CHECK: trunc i32 [[R]] to i16
; CHECK: [[PAIR:%.*]] = call [2 x i32] @pair(ptr byval([8 x i8]) align 4 %memory)
; CHECK: store [2 x i32] [[PAIR]], ptr [[MEMORY]], align 4, !nosanitize
; CHECK: load { i64 }, ptr [[MEMORY]]
; CHECK: call i32 @outside(i64 1)
define void @_Z6calleri(i64 %p, i8 signext %n, i32 %x, ptr %memory, ptr %to) {
  %small = call i16 @take(i64 %p, i8 signext %n, i32 %x, i32 7)
  store i16 %small, ptr %to
  %pair = call { i64 } @pair(ptr byval({ i64 }) align 4 %memory)
  store { i64 } %pair, ptr %to
  %unchanged = call i32 @outside(i64 1)
  ; WRONG call void @_Z3fewi(i32 1, i32 2)
  ret void
}
