; The device runtime: only the functions that are needed, internal, in the module's encoding and for its architecture;
; then the module for the CPU device is written, with debug info, and the module's own debug info is dropped.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-device-runtime=%device_bc -gasan-cpu-bitcode=%t.bc \
; RUN:   -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s --check-prefixes=BOTH,GPU < %t.ll
; RUN: llvm-dis %t.bc -o - | FileCheck %s --check-prefixes=BOTH,CPU
; RUN: %opt_gasan -gasan-mode=shadow -gasan-keep-debug -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=KEPT
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=8 -gasan-device-runtime=%device_bc -passes=gasan-instrument,verify \
; RUN:   -S %s | FileCheck %s --check-prefix=BOTH
; RUN: not %opt_gasan -gasan-mode=shadow -gasan-device-runtime=%t.missing.bc -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=MISSING
; RUN: not %opt_gasan -gasan-mode=shadow -gasan-cpu-bitcode=%t.none/x.bc -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=UNWRITABLE
; RUN: not %opt_gasan -gasan-mode=shadow -passes=gasan-instrument -S %t.ll 2>&1 | FileCheck %s --check-prefix=TWICE
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-pc-linux-gnu/' %s | %opt_gasan -gasan-mode=shadow -passes=gasan-instrument -S \
; RUN:   | FileCheck %s --check-prefix=HOST

; MISSING: error: gasan: cannot read the device runtime '{{.*}}.missing.bc' ({{.*}}); build or install gasan completely,
; MISSING-SAME: {{^}} or correct -gasan-device-runtime
; UNWRITABLE: error: gasan: cannot write the instrumented module to '{{.*}}x.bc':
; TWICE: error: gasan: '{{.*}}' is instrumented already; give the linker the output of -gasan-prepare
; HOST-NOT: __gasan

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; BOTH: @__gasan_sites = addrspace(1) constant
; BOTH: @llvm.compiler.used = {{.*}}@__gasan_params{{.*}}@__gasan_sites
; BOTH: @__gasan_params = addrspace(4) externally_initialized global { i64,
; BOTH: define void @f(
; BOTH: call void @__gasan_check_range(
; BOTH: define internal void @__gasan_check_range(i64 {{.*}}, i64 {{.*}}, i32 {{.*}}){{.*}} #[[RANGE:[0-9]+]]
; BOTH: define internal void @__gasan_report(i64 {{.*}}, i64 {{.*}}, i32 {{.*}}){{.*}} #[[REPORT:[0-9]+]]
; BOTH-NOT: define {{.*}}gasan_{{.*}}_{{8|128|256}}(
; BOTH: attributes #[[RANGE]] = {{.*}} "target-cpu"="sm_89" "target-features"="+ptx85,+sm_89"
; BOTH: attributes #[[REPORT]] = {{.*}} noreturn {{.*}} "target-cpu"="sm_89"
; GPU-NOT: llvm.dbg.cu
; GPU-NOT: !DILocation
; CPU: !llvm.dbg.cu
; CPU: !DILocation(line: 2
; KEPT: !DILocation(line: 2
define void @f(ptr %p) "gasan-sanitize" "target-cpu"="sm_89" "target-features"="+ptx85,+sm_89" !dbg !4 {
  store i32 0, ptr %p, align 1, !dbg !6
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 2, column: 3, scope: !4)
!7 = !{}
