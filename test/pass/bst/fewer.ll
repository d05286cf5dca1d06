; Checks that are left out: of offsets that are always in bounds, and of bytes that an earlier check covers on every
; path.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-batch-checks=false -passes=gasan-instrument,verify -S \
; RUN:   %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-static-proof=false -gasan-dominated-checks=false \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=ALL

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(1) global [64 x i32] zeroinitializer, align 4

; The mask leaves 0 to 63.
; CHECK-LABEL: define void @masked(
; CHECK-NOT: __gasan_report_bounds
; CHECK: ret void
; ALL-LABEL: define void @masked(
; ALL: call void @__gasan_report_bounds
; ALL: ret void
define void @masked(i32 %i) sanitize_address {
  %m = and i32 %i, 63
  %w = zext i32 %m to i64
  %a = getelementptr i32, ptr addrspace(1) @table, i64 %w
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

; 0 to 64: one too many.
; CHECK-LABEL: define void @one_too_many(
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @one_too_many(i32 %i) sanitize_address {
  %m = urem i32 %i, 65
  %w = zext i32 %m to i64
  %a = getelementptr i32, ptr addrspace(1) @table, i64 %w
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

; The last element's last byte is outside for a wider access.
; CHECK-LABEL: define void @too_wide(
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @too_wide(i32 %i) sanitize_address {
  %m = and i32 %i, 63
  %w = zext i32 %m to i64
  %a = getelementptr i32, ptr addrspace(1) @table, i64 %w
  store i64 1, ptr addrspace(1) %a, align 4
  ret void
}

; The bytes of the second access are within the first's; the third has one more byte.
; CHECK-LABEL: define void @covered(
; CHECK: call void @__gasan_report_bounds
; CHECK: more:
; CHECK-NOT: call void @__gasan_report_bounds
; CHECK: last:
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
; ALL-LABEL: define void @covered(
; ALL-COUNT-3: call void @__gasan_report_bounds
; ALL: ret void
define void @covered(ptr %p, i1 %c) sanitize_address {
  store i64 1, ptr %p, align 1
  br i1 %c, label %more, label %done
more:
  %inside = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %inside, align 1
  br i1 %c, label %last, label %done
last:
  %beyond = getelementptr i8, ptr %p, i64 5
  store i32 1, ptr %beyond, align 1
  br label %done
done:
  ret void
}

; Not on every path.
; CHECK-LABEL: define void @other_way(
; CHECK: call void @__gasan_report_bounds
; CHECK: call void @__gasan_report_bounds
; CHECK: ret void
define void @other_way(ptr %p, i1 %c) sanitize_address {
  br i1 %c, label %some, label %done
some:
  store i64 1, ptr %p, align 1
  br label %done
done:
  %inside = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %inside, align 1
  ret void
}
