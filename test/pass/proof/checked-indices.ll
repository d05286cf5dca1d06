; Behind an access to a variable, the index is in bounds: the access was proven, or its check has ended the thread.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s
; A thread that goes on behind a failed check has shown nothing.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-recover -gasan-print-proofs \
; RUN:   -passes=gasan-instrument,verify -disable-output %s 2>&1 | FileCheck --check-prefix=RECOVER %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(3) global [20 x i8] undef
@other = internal addrspace(3) global [20 x i8] undef
@words = internal addrspace(3) global [10 x i32] undef

; CHECK-LABEL: kernel behind: 2 claims, 1 checks in all variants
; CHECK-DAG: checked: nothing bounds shared variable of 20 bytes
; CHECK-DAG: proven at launch if b + s64((<load> where <=u 19)), 1 bytes
; RECOVER-LABEL: kernel behind: 1 claims, 2 checks in all variants
define ptx_kernel void @behind(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  %some = load i8, ptr %from
  %again = icmp eq i8 %some, 0
  br i1 %again, label %then, label %done
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  br label %done
done:
  ret void
}

; The access comes later, or not on all paths.
; CHECK-LABEL: kernel before: 1 claims, 2 checks in all variants
define ptx_kernel void @before(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %some = load i8, ptr %from
  %again = icmp eq i8 %some, 0
  br i1 %again, label %then, label %done
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  br label %done
done:
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  ret void
}

; CHECK-LABEL: kernel sometimes: 1 claims, 2 checks in all variants
define ptx_kernel void @sometimes(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %some = load i8, ptr %from
  %again = icmp eq i8 %some, 0
  br i1 %again, label %then, label %done
then:
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  br label %done
done:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; Only the second access to the variable is on all paths.
; CHECK-LABEL: kernel again: 2 claims, 2 checks in all variants
; CHECK: proven at launch if b + s64((<load> where <=u 19)), 1 bytes
define ptx_kernel void @again(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %some = load i8, ptr %from
  %first = icmp eq i8 %some, 0
  br i1 %first, label %then, label %done
then:
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  br label %done
done:
  %p2 = getelementptr i8, ptr addrspace(3) @other, i64 %w
  store i8 1, ptr addrspace(3) %p2
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; The address in generic memory of a shared variable.
; CHECK-LABEL: kernel generic: 2 claims, 1 checks in all variants
define ptx_kernel void @generic(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @table to ptr), i64 %w
  store i8 1, ptr %p
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; In bounds are 0 <= 4 * i + 8 <= 36, so -2 <= i <= 7.
; CHECK-LABEL: kernel scaled: 2 claims, 1 checks in all variants
; CHECK: proven at launch if b + s64(((<load> where >= -2) where <= 7)), 1 bytes
define ptx_kernel void @scaled(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(3) @words, i64 %w
  %p2 = getelementptr i32, ptr addrspace(3) %p, i64 2
  store i32 1, ptr addrspace(3) %p2
  br label %then
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; 4 * 2^62 is 0.
; CHECK-LABEL: kernel wraps: 1 claims, 2 checks in all variants
define ptx_kernel void @wraps(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i64, ptr %from
  %p = getelementptr i32, ptr addrspace(3) @words, i64 %at
  store i32 1, ptr addrspace(3) %p
  br label %then
then:
  %q = getelementptr i8, ptr %b, i64 %at
  store i8 1, ptr %q
  ret void
}

; As unsigned number, the index may be above the signed ones.
; CHECK-LABEL: kernel unsigned: 2 claims, 1 checks in all variants
; CHECK: proven at launch if b + u64((<load> where <=u 19)), 1 bytes
define ptx_kernel void @unsigned(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i8, ptr %from
  %w = zext i8 %at to i64
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  br label %then
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; A loop up to the index.
; CHECK-LABEL: kernel rounds: 2 claims, 1 checks in all variants
; CHECK: proven at launch if shared variable of 20 bytes + u64(loop(
define ptx_kernel void @rounds(ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  %any = icmp sgt i32 %at, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = zext i32 %i to i64
  %q = getelementptr i8, ptr addrspace(3) @table, i64 %v
  store i8 2, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, %at
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Other threads' numbers are in bounds only until they are read again.
; CHECK-LABEL: kernel others: 1 claims, 2 checks in all variants
define ptx_kernel void @others(ptr %b, ptr %from) sanitize_address {
entry:
  %at = load volatile i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr addrspace(3) @table, i64 %w
  store i8 1, ptr addrspace(3) %p
  br label %then
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}

; The size of the argument's memory is known at run time only.
; CHECK-LABEL: kernel memory: 1 claims, 2 checks in all variants
define ptx_kernel void @memory(ptr %a, ptr %b, ptr %from) sanitize_address {
entry:
  %at = load i32, ptr %from
  %w = sext i32 %at to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p
  br label %then
then:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q
  ret void
}
