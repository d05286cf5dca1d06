; The marks pass through the optimiser (Prepare.h).
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-prepare,verify -S %s | FileCheck %s --check-prefix=PREPARE
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-prepare,gasan-mark,verify -S %s | FileCheck %s --check-prefix=MARK
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument -S %s | FileCheck %s --check-prefix=DONE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; PREPARE-LABEL: define void @_Z6markedPi(
; PREPARE-SAME: #[[MARKED:[0-9]+]]
; PREPARE: attributes #[[MARKED]] = { "gasan-sanitize" }
; PREPARE-NOT: {{ sanitize_address}}
; MARK-LABEL: define void @_Z6markedPi(
; MARK-SAME: #[[MARKED:[0-9]+]] !dbg ![[NAMED:[0-9]+]]
; MARK-NEXT: store i32 0, ptr %p, align 4{{$}}
; DONE-NOT: {{ sanitize_address}}
; DONE-NOT: gasan-sanitize
; A flag of LLVM's AddressSanitizer pass, which would refuse to run again.
; MARK-NOT: nosanitize_address
define void @_Z6markedPi(ptr %p) sanitize_address !dbg !3 {
  store i32 0, ptr %p
  ret void
}

; MARK-LABEL: define void @exempt(
; MARK-NEXT: store i32 0, ptr %p, align 4, !nosanitize
define void @exempt(ptr %p) {
  store i32 0, ptr %p
  ret void
}

; The count before an array that new[] made.
; MARK-LABEL: define i64 @cookie(
; MARK-NEXT: load i64, ptr %p
; MARK-NEXT: ret i64
; MARK: attributes #[[MARKED]] = { sanitize_address }
; MARK: ![[NAMED]] = distinct !DISubprogram(name: "marked", linkageName: "_Z6markedPi"
declare void @__asan_poison_cxx_array_cookie(ptr)
declare i64 @__asan_load_cxx_array_cookie(ptr)
define i64 @cookie(ptr %p) sanitize_address {
  call void @__asan_poison_cxx_array_cookie(ptr %p)
  %count = call i64 @__asan_load_cxx_array_cookie(ptr %p)
  ret i64 %count
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "marked", scope: !1, file: !1, line: 1, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !{i32 4, !"nosanitize_address", i32 1}
