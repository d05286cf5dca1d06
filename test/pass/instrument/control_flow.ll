; Splitting blocks keeps phis and static allocas, the check has the access's location, optnone functions are
; instrumented, and the optimiser's facts on memory and termination are dropped.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-keep-debug -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define i32 @loop(
; CHECK-SAME: #[[FORGOTTEN:[0-9]+]] !dbg
; CHECK: call void @__gasan_report({{.*}}) #{{[0-9]+}}, !dbg ![[LOAD:[0-9]+]]
; CHECK: load i32, ptr %p, align 4, !dbg ![[LOAD]]
; CHECK: body:
; CHECK-NEXT: phi i32 [ 0, %{{[0-9]+}} ], [ %sum, %[[BODY_TAIL:.*]] ]
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %[[BODY_TAIL]]
; CHECK: [[BODY_TAIL]]:
; CHECK: br i1 %more, label %body, label %done
define i32 @loop(ptr %p, ptr %q) #0 !dbg !4 {
entry:
  %first = load i32, ptr %p, align 4, !dbg !6
  %late = alloca i32
  br label %body
body:
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %v = load i32, ptr %q, align 4
  %sum = add i32 %s, %v
  %more = icmp slt i32 %sum, %first
  br i1 %more, label %body, label %done
done:
  store i32 %sum, ptr %late
  ret i32 %sum
}

; CHECK-LABEL: define i32 @alloca_after_access(
; CHECK-NEXT: %late = alloca i32
; CHECK: call void @__gasan_report(
define i32 @alloca_after_access(ptr %p) "gasan-sanitize" {
  %first = load i32, ptr %p, align 4
  %late = alloca i32
  store i32 %first, ptr %late
  ret i32 %first
}

; CHECK-LABEL: define void @unoptimised(
; CHECK: call void @__gasan_report(
define void @unoptimised(ptr %p) noinline optnone "gasan-sanitize" {
  store i32 0, ptr %p
  ret void
}

; CHECK-LABEL: define i32 @caller(
; CHECK: call i32 @loop(ptr %p, ptr %p){{$}}
define i32 @caller(ptr %p) memory(argmem: read) willreturn {
  %v = call i32 @loop(ptr %p, ptr %p) #1
  ret i32 %v
}

; CHECK: attributes #[[FORGOTTEN]] = { nounwind }
attributes #0 = { nounwind willreturn nosync nofree memory(argmem: read) "gasan-sanitize" }
attributes #1 = { memory(argmem: read) willreturn }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "loop.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "loop", scope: !1, file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{}
!6 = !DILocation(line: 2, column: 3, scope: !4)
