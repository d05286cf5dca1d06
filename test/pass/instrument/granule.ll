; The encodings: 128 and 256 compare with the last byte's offset, 8 is ASan's.
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=128 -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=G128
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=256 -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=G256
; RUN: %opt_gasan -gasan-mode=shadow -gasan-granule=8 -passes=gasan-instrument,verify -S %s \
; RUN:   | FileCheck %s --check-prefix=G8
; RUN: not %opt_gasan -gasan-mode=shadow -gasan-granule=64 -passes=gasan-instrument -S %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=BAD
; BAD: error: gasan: -gasan-granule=64 is not a shadow encoding; choose 8, 128 or 256

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; G128-LABEL: define i8 @load1(
; G128: lshr i64 %{{.*}}, 7
; G128: %[[LAST:.*]] = and i32 %{{.*}}, 127
; G128: icmp uge i32 %[[LAST]]
; G256-LABEL: define i8 @load1(
; G256: lshr i64 %{{.*}}, 8
; G256: %[[LAST:.*]] = and i32 %{{.*}}, 255
; A block without accessible bytes has shadow 0, and the first byte's offset is 0 as well.
; G256: %[[ATLEAST1:.*]] = call i32 @llvm.umax.i32(i32 %[[LAST]], i32 1)
; G256: icmp ugt i32 %[[ATLEAST1]]
; G8-LABEL: define i8 @load1(
; G8: load i64, ptr addrspace(4) getelementptr inbounds (i8, ptr addrspace(4) @__gasan_params, i32 8), align 8
; G8: %[[SHIFTED:.*]] = lshr i64 %{{.*}}, 3
; G8: and i64 %[[SHIFTED]], %{{.*}}
; G8: %[[LAST:.*]] = and i32 %{{.*}}, 7
; G8: %[[PARTIAL:.*]] = icmp ne i8 %[[N:.*]], 0
; G8: %[[SIGNED:.*]] = sext i8 %[[N]] to i32
; G8: %[[BEYOND:.*]] = icmp sge i32 %[[LAST]], %[[SIGNED]]
; G8: and i1 %[[PARTIAL]], %[[BEYOND]]
define i8 @load1(ptr %p) "gasan-sanitize" {
  %v = load i8, ptr %p, align 1
  ret i8 %v
}

; G256-LABEL: define i64 @load8(
; G256: %[[LAST:.*]] = add nuw nsw i32 %{{.*}}, 7
; G256-NOT: umax
; G256: icmp ugt i32 %[[LAST]]
; G8-LABEL: define i64 @load8(
; G8: %[[PARTIAL:.*]] = icmp ne i8 %{{.*}}, 0
; G8-NOT: icmp sge
; G8: call void @__gasan_report(i64 %{{.*}}, i64 8,
define i64 @load8(ptr %p) "gasan-sanitize" {
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; G8-LABEL: define <4 x float> @load16(
; G8: call void @__gasan_check_range(i64 %{{.*}}, i64 16,
define <4 x float> @load16(ptr %p) "gasan-sanitize" {
  %v = load <4 x float>, ptr %p, align 16
  ret <4 x float> %v
}
