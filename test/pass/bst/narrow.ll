; Comparisons with the bounds of a variable, in 32 bits where the offset allows it.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@t = internal addrspace(3) global [400 x i8] undef, align 4

; 4 * i + 8 is an offset of the 400 bytes if i is at least -2 and less than 98.
; CHECK-LABEL: define void @signed(
; CHECK: %[[FROM:.*]] = sub i32 %i, -2
; CHECK: %[[INDEX:.*]] = freeze i32 %[[FROM]]
; CHECK: icmp uge i32 %[[INDEX]], 100
; CHECK: ret void
define void @signed(i32 %i) sanitize_address {
  %w = sext i32 %i to i64
  %b = shl i64 %w, 2
  %a = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  %p = getelementptr i8, ptr %a, i64 8
  store i32 1, ptr %p, align 4
  ret void
}

; 4 * i - 8, where i is not negative.
; CHECK-LABEL: define void @unsigned(
; CHECK: %[[FROM:.*]] = sub i32 %i, 2
; CHECK: %[[INDEX:.*]] = freeze i32 %[[FROM]]
; CHECK: icmp uge i32 %[[INDEX]], 100
; CHECK: ret void
define void @unsigned(i32 %i) sanitize_address {
  %w = zext i32 %i to i64
  %b = shl i64 %w, 2
  %a = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  %p = getelementptr i8, ptr %a, i64 -8
  store i32 1, ptr %p, align 4
  ret void
}

; 200 + 4 * i - 4, where i is not negative: any index below 51 is good, and no index is too small.
; CHECK-LABEL: define void @behind(
; CHECK: %[[INDEX:.*]] = freeze i32 %i
; CHECK: icmp uge i32 %[[INDEX]], 51
; CHECK: ret void
define void @behind(i32 %i) sanitize_address {
  %w = zext i32 %i to i64
  %a = getelementptr i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 200), i64 %w
  %p = getelementptr i8, ptr %a, i64 -4
  store i32 1, ptr %p, align 4
  ret void
}

; Of elements of 12 bytes, 4 bytes from the fifth on: the last one begins at 32 * 12 + 4, the next one's ends at 404.
; CHECK-LABEL: define void @odd(
; CHECK: %[[INDEX:.*]] = freeze i32 %i
; CHECK: icmp uge i32 %[[INDEX]], 33
; CHECK: ret void
define void @odd(i32 %i) sanitize_address {
  %w = sext i32 %i to i64
  %b = mul i64 %w, 12
  %a = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  %p = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %p, align 4
  ret void
}

; A short index is extended as the address extends it.
; CHECK-LABEL: define void @short(
; CHECK: %[[WIDE:.*]] = sext i8 %i to i32
; CHECK: %[[INDEX:.*]] = freeze i32 %[[WIDE]]
; CHECK: icmp uge i32 %[[INDEX]], 100
; CHECK: ret void
define void @short(i8 %i) sanitize_address {
  %w = sext i8 %i to i64
  %b = shl i64 %w, 2
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  store i32 1, ptr %p, align 4
  ret void
}

; A sum that is less than 2^32 for all indices.
; CHECK-LABEL: define void @sum(
; CHECK: %[[LOW:.*]] = trunc i64 %{{.*}} to i32
; CHECK: %[[OFFSET:.*]] = freeze i32 %[[LOW]]
; CHECK: icmp uge i32 %[[OFFSET]], 397
; CHECK: ret void
define void @sum(i16 %i, i16 %j) sanitize_address {
  %w = zext i16 %i to i64
  %v = zext i16 %j to i64
  %b = shl i64 %w, 8
  %c = shl i64 %v, 2
  %s = add i64 %b, %c
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %s
  store i32 1, ptr %p, align 4
  ret void
}

; The lower half of these offsets may be good although the offset is not.
; CHECK-LABEL: define void @wide(
; CHECK-COUNT-2: icmp uge i64 %{{.*}}, 397
; CHECK: ret void
define void @wide(i64 %i, i32 %j, i32 %k) sanitize_address {
  %b = shl i64 %i, 2
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  store i32 1, ptr %p, align 4
  %w = zext i32 %j to i64
  %v = zext i32 %k to i64
  %c = shl i64 %w, 2
  %d = shl i64 %v, 2
  %s = add i64 %c, %d
  %q = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %s
  store i32 1, ptr %q, align 4
  ret void
}

; An array whose size the launch decides: the number of elements is computed once, after the size.
@d = external addrspace(3) global [0 x i8], align 4

; CHECK-LABEL: define void @dynamic(
; CHECK: %[[SIZE:.*]] = call range(i32 0, 268435456) i32 @llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
; CHECK: %[[WIDE:.*]] = zext i32 %[[SIZE]] to i64
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %[[WIDE]], i64 3)
; CHECK-NEXT: %[[BYTES:.*]] = trunc i64 %[[LIMIT]] to i32
; CHECK-NEXT: %[[UP:.*]] = add i32 %[[BYTES]], 3
; CHECK-NEXT: %[[COUNT:.*]] = udiv i32 %[[UP]], 4
; CHECK: %[[FROM:.*]] = sub i32 %i, -2
; CHECK: %[[INDEX:.*]] = freeze i32 %[[FROM]]
; CHECK: icmp uge i32 %[[INDEX]], %[[COUNT]]
; CHECK: ret void
define void @dynamic(i32 %i) sanitize_address {
  %w = sext i32 %i to i64
  %b = shl i64 %w, 2
  %a = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 %b
  %p = getelementptr i8, ptr %a, i64 8
  store i32 1, ptr %p, align 4
  ret void
}

; 4 * i + 8, where i is not negative: no element is good in less than 12 bytes.
; CHECK-LABEL: define void @dynamic_behind(
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.usub.sat.i64(i64 %{{.*}}, i64 3)
; CHECK-NEXT: %[[BYTES:.*]] = trunc i64 %[[LIMIT]] to i32
; CHECK-NEXT: %[[REST:.*]] = call i32 @llvm.usub.sat.i32(i32 %[[BYTES]], i32 8)
; CHECK-NEXT: %[[UP:.*]] = add i32 %[[REST]], 3
; CHECK-NEXT: %[[COUNT:.*]] = udiv i32 %[[UP]], 4
; CHECK: %[[INDEX:.*]] = freeze i32 %i
; CHECK: icmp uge i32 %[[INDEX]], %[[COUNT]]
; CHECK: ret void
define void @dynamic_behind(i32 %i) sanitize_address {
  %w = zext i32 %i to i64
  %b = shl i64 %w, 2
  %a = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 %b
  %p = getelementptr i8, ptr %a, i64 8
  store i32 1, ptr %p, align 4
  ret void
}

; The conversion to a generic address, which a report needs, stays behind the branch: the GPU reads the window's begin
; from a special register, and the check would wait for it.
; CHECK-LABEL: define void @late(
; CHECK-NOT: addrspace(3) null
; CHECK: br i1
; CHECK: addrspace(3) null
; CHECK: call void @__gasan_report_bounds(
define void @late(i32 %i, i64 %j) sanitize_address {
  %w = sext i32 %i to i64
  %b = shl i64 %w, 2
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @t to ptr), i64 %b
  store i32 1, ptr %p, align 4
  %c = shl i64 %j, 2
  %q = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @d to ptr), i64 %c
  store i32 1, ptr %q, align 4
  ret void
}
