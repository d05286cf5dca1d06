; The parts of one vector of the source, which the optimiser has split, have one check. Parts with a gap between them do
; not: the source may have used these parts only.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -gasan-group-checks=false \
; RUN:   -gasan-dominated-checks=false \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define void @whole(
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 8,
; CHECK-NOT: call void @__gasan_report
; CHECK: ret void
define void @whole(ptr %p, i64 %i) sanitize_address !dbg !4 {
  %a = getelementptr <2 x i32>, ptr %p, i64 %i, !dbg !7
  store i32 1, ptr %a, align 8, !dbg !7
  %b = getelementptr i8, ptr %a, i64 4, !dbg !7
  store i32 2, ptr %b, align 4, !dbg !7
  ret void, !dbg !7
}

; CHECK-LABEL: define void @gap(
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4,
; CHECK: call void @__gasan_report_bounds_aligned(i64 %{{.*}}, i64 4,
; CHECK: ret void
define void @gap(ptr %p, i64 %i) sanitize_address !dbg !8 {
  %a = getelementptr <4 x i32>, ptr %p, i64 %i, !dbg !9
  store i32 1, ptr %a, align 16, !dbg !9
  %c = getelementptr i8, ptr %a, i64 8, !dbg !9
  store i32 2, ptr %c, align 8, !dbg !9
  ret void, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "vectors.cu", directory: ".")
!2 = !{i32 7, !"Dwarf Version", i32 4}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "whole", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, scope: !4)
!8 = distinct !DISubprogram(name: "gap", file: !1, line: 4, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 5, scope: !8)
