; wmma loads and stores: each lane checks one row of the warp's tile. Sizes in bytes: row length times element.
; RUN: %opt_gasan -gasan-mode=shadow -passes=gasan-instrument,verify -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: python3 %S/Inputs/print_sites.py < %t.ll | FileCheck %s --check-prefix=SITES

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@shared = addrspace(3) global [256 x half] undef

; SITES: table version {{[0-9]+}} scale 7: 7 sites
; SITES-NEXT: 1 accesses without a check
; SITES-NEXT: site 0 READ 32 from
; SITES: site 2 WRITE 128 from

; m16k16, by rows: 16 rows of 16 halves
; CHECK-LABEL: define void @load_a(
; CHECK: %[[LANE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
; CHECK: %[[STRIDE:.*]] = zext i32 %stride to i64
; CHECK: %[[WIDE:.*]] = zext i32 %[[LANE]] to i64
; CHECK: %[[ELEMENTS:.*]] = mul i64 %[[WIDE]], %[[STRIDE]]
; CHECK: %[[BITS:.*]] = mul i64 %[[ELEMENTS]], 16
; CHECK: %[[IS_ROW:.*]] = icmp ult i32 %[[LANE]], 16
; CHECK: %[[BYTES:.*]] = lshr i64 %[[BITS]], 3
; CHECK: %[[ROW:.*]] = getelementptr i8, ptr %p, i64 %[[BYTES]]
; CHECK: %[[A:.*]] = ptrtoint ptr %[[ROW]] to i64
; CHECK-NEXT: %[[HAS_ROW:.*]] = freeze i1 %[[IS_ROW]]
; CHECK-NEXT: %[[SIZE:.*]] = select i1 %[[HAS_ROW]], i64 32, i64 0
; CHECK-NEXT: call void @__gasan_check_range(i64 %[[A]], i64 %[[SIZE]], i32 0)
; CHECK-NEXT: @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0
define void @load_a(ptr %p, i32 %stride) "gasan-sanitize" {
  call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr %p, i32 %stride)
  ret void
}

; k16n8, by columns: 8 of them, of 16 halves
; CHECK-LABEL: define void @load_b(
; CHECK: icmp ult i32 %{{.*}}, 8
; CHECK: select i1 %{{.*}}, i64 32, i64 0
; CHECK: call void @__gasan_check_range(
define void @load_b(ptr addrspace(1) %p, i32 %stride) "gasan-sanitize" {
  call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m32n8k16.load.b.col.stride.f16.p1(ptr addrspace(1) %p, i32 %stride)
  ret void
}

; m8n32, by rows: 8 of 32 floats
; CHECK-LABEL: define void @store(
; CHECK: icmp ult i32 %{{.*}}, 8
; CHECK: select i1 %{{.*}}, i64 128, i64 0
; CHECK: call void @__gasan_check_range(
; CHECK-NEXT: @llvm.nvvm.wmma.m8n32k16.store.d.row.stride.f32.p0
define void @store(ptr %p, float %f, i32 %stride) "gasan-sanitize" {
  call void @llvm.nvvm.wmma.m8n32k16.store.d.row.stride.f32.p0(ptr %p, float %f, float %f, float %f, float %f, float %f, float %f, float %f, float %f, i32 %stride)
  ret void
}

; CHECK-LABEL: define void @shared_tile(
; CHECK-NOT: __gasan_
; CHECK: ret void
define void @shared_tile(i32 %stride) "gasan-sanitize" {
  call { <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half> } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0(ptr addrspacecast (ptr addrspace(3) @shared to ptr), i32 %stride)
  ret void
}

; The same as text. Rows of four-bit elements, a tile whose rows are next to each other, a store.
; CHECK-LABEL: define void @text(
; CHECK: select i1 %{{.*}}, i64 32, i64 0
; CHECK: select i1 %{{.*}}, i64 16, i64 0
; CHECK: select i1 %{{.*}}, i64 64, i64 0
; CHECK: select i1 %{{.*}}, i64 64, i64 0
define void @text(ptr %p, i32 %r, i32 %stride) "gasan-sanitize" {
  call void asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {$1,$1,$1,$1,$1,$1,$1,$1}, [$0], $2;", "l,r,r"(ptr %p, i32 %r, i32 %stride)
  call void asm sideeffect "wmma.load.a.sync.aligned.row.m8n8k32.s4 {$1}, [$0], 64;", "l,r"(ptr %p, i32 %r)
  call void asm sideeffect "wmma.load.c.sync.aligned.row.m16n16k16.f32 {$1,$1,$1,$1,$1,$1,$1,$1}, [$0];", "l,r"(ptr %p, i32 %r)
  call void asm sideeffect "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [$0], {$1,$1,$1,$1,$1,$1,$1,$1}, $2;", "l,r,r"(ptr %p, i32 %r, i32 %stride)
  call void asm sideeffect "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {$1,$1,$1,$1,$1,$1,$1,$1}, [$0], $2;", "l,r,r"(ptr %p, i32 %r, i32 %stride)
  call void asm sideeffect "wmma.load.a.sync.aligned.row.m64n64k16.global.f16 {$1}, [$0], $2;", "l,r,r"(ptr %p, i32 %r, i32 %stride)
  call void asm sideeffect "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {$0}, {$0}, {$0}, {$0};", "r"(i32 %r)
  ret void
}
