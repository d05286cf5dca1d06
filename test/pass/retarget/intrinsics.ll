; llvm.nvvm.*: helpers by name, instructions if the type is open, a warning and a run-time error for the rest.
; RUN: %opt_gasan -passes=gasan-retarget,verify -gasan-cpu-helpers=%cpu_bc -gasan-devices=auto -S %s 2>%t.err \
; RUN:   | FileCheck %s
; RUN: FileCheck --check-prefix=WARN %s < %t.err
target triple = "nvptx64-nvidia-cuda"

@llvm.used = appending global [1 x ptr] [ptr @_Z7missingv], section "llvm.metadata"

; A register is read once, at the function's start.
; CHECK: @gasan.unsupported = internal {{.*}}c"llvm.nvvm.read.ptx.sreg.envreg3\00"
; CHECK-LABEL: define internal i32 @_Z9registersi(
; CHECK-NEXT: entry:
; CHECK-NEXT: %[[X:.*]] = call i32 @gasan_nvvm_read_ptx_sreg_tid_x()
; CHECK-NEXT: br i1
; CHECK: add i32 %[[X]], %[[X]]
define i32 @_Z9registersi(i1 %c) "target-cpu"="sm_80" {
entry:
  br i1 %c, label %then, label %end
then:
  %a = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = add i32 %a, %b
  ret i32 %s
end:
  ret i32 0
}

; The clock is not.
; CHECK-LABEL: define internal i64 @_Z5clockv(
; CHECK: call i64 @gasan_nvvm_read_ptx_sreg_clock64()
; CHECK: call i64 @gasan_nvvm_read_ptx_sreg_clock64()
define i64 @_Z5clockv() {
  %a = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %b = call i64 @llvm.nvvm.read.ptx.sreg.clock64()
  %d = sub i64 %b, %a
  ret i64 %d
}

; CHECK-LABEL: define internal i1 @_Z4warpi(
; CHECK: %[[VALUE:.*]] = alloca i32
; CHECK: %[[VALID:.*]] = alloca i8
; CHECK: call void @gasan_nvvm_barrier_cta_sync_aligned_all(i32 {{.*}}0) [[CONVERGENT:#[0-9]+]]
; CHECK: call void @gasan_nvvm_shfl_sync_up_i32p(i32 {{.*}}-1, i32 {{.*}}%v, i32 {{.*}}1, i32
; CHECK-SAME: {{^}} {{.*}}0, ptr {{.*}}%[[VALUE]], ptr {{.*}}%[[VALID]]) [[CONVERGENT]]
; CHECK: load i32, ptr %[[VALUE]]
; CHECK: trunc i8 %{{.*}} to i1
define i1 @_Z4warpi(i32 %v) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %v, i32 1, i32 0)
  %p = extractvalue { i32, i1 } %r, 1
  ret i1 %p
}

; CHECK-LABEL: define internal i32 @_Z7atomicsPiPf(
; CHECK: atomicrmw add ptr %p, i32 1 seq_cst
; CHECK: atomicrmw fadd ptr %f, float 1.000000e+00 seq_cst
; CHECK: cmpxchg ptr %p, i32 0, i32 7 seq_cst seq_cst
; CHECK: call {{.*}}i1 @gasan_nvvm_isspacep_shared(ptr {{.*}}%p)
; CHECK: call void @gasan_trap()
define i32 @_Z7atomicsPiPf(ptr %p, ptr %f) {
  %a = call i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr %p, i32 1)
  %b = call float @llvm.nvvm.atomic.add.gen.f.cta.f32.p0(ptr %f, float 1.0)
  %c = call i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr %p, i32 0, i32 7)
  %s = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  call void @llvm.trap()
  ret i32 %c
}

; WARN: warning: surface.cu:7:3: in function {{.*}}llvm.nvvm.read.ptx.sreg.envreg3 is not supported on the CPU device
; CHECK-LABEL: define internal i32 @_Z7missingv(
; CHECK: call void @gasan_cpu_unsupported(ptr @gasan.unsupported)
define i32 @_Z7missingv() !dbg !4 {
  %v = call i32 @llvm.nvvm.read.ptx.sreg.envreg3(), !dbg !5
  ret i32 %v, !dbg !5
}

; CHECK: attributes [[CONVERGENT]] = { convergent nomerge }

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.envreg3()
declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.atomic.add.gen.i.sys.i32.p0(ptr, i32)
declare float @llvm.nvvm.atomic.add.gen.f.cta.f32.p0(ptr, float)
declare i32 @llvm.nvvm.atomic.cas.gen.i.cta.i32.p0(ptr, i32, i32)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare void @llvm.trap()

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "surface.cu", directory: ".")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "missing", scope: !1, file: !1, line: 6, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 3, scope: !4)
!6 = !DISubroutineType(types: !{})
