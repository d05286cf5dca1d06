; An access of a local or constant array gets a check before the optimiser unrolls its loop if it certainly leaves the array in some
; round. Other functions stay unchanged.
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-certain,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -passes=gasan-certain,gasan-certain,verify -S %s | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 4
@changed = internal addrspace(1) global [4 x float] zeroinitializer, align 4

; The loop's last round reads values[4].
; CHECK-LABEL: define float @last_round(
; CHECK: %[[OFFSET:.*]] = mul i64 %wide, 4
; CHECK: %[[SUM:.*]] = add i64 0, %[[OFFSET]]
; CHECK-NEXT: %[[BAD:.*]] = icmp ugt i64 %[[SUM]], 12
; CHECK-NEXT: br i1 %[[BAD]]
; CHECK: call void @__gasan_source_fault(ptr %p, i64 4, i32 0, ptr %values, i64 16)
; CHECK-NOT: icmp ugt
; CHECK: ret float
define float @last_round() sanitize_address {
entry:
  %values = alloca [4 x float], align 4
  br label %test
test:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %again = icmp slt i32 %i, 5
  br i1 %again, label %body, label %done
body:
  %wide = zext i32 %i to i64
  %p = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %wide
  %x = load float, ptr %p, align 4
  %more = fadd float %sum, %x
  %next = add nsw i32 %i, 1
  br label %test
done:
  ret float %sum
}

; The test comes after the access, so that there is one round more.
; CHECK-LABEL: define float @tested_behind(
; CHECK: icmp ugt i64 %{{.*}}, 12
; CHECK: ret float
define float @tested_behind() sanitize_address {
entry:
  %values = alloca [4 x float], align 4
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %i
  %x = load float, ptr %p, align 4
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i, 4
  br i1 %again, label %body, label %done
done:
  ret float %x
}

; The inner loop ends in each round of the outer one, whose last round leaves the array.
; CHECK-LABEL: define float @rows(
; CHECK: icmp ugt i64 %{{.*}}, 44
; CHECK: ret float
define float @rows() sanitize_address {
entry:
  %values = alloca [3 x [4 x float]], align 4
  br label %outer
outer:
  %y = phi i64 [ 0, %entry ], [ %below, %behind ]
  %down = icmp ult i64 %y, 4
  br i1 %down, label %inner, label %done
inner:
  %x = phi i64 [ 0, %outer ], [ %right, %body ]
  %along = icmp ult i64 %x, 4
  br i1 %along, label %body, label %behind
body:
  %p = getelementptr inbounds [3 x [4 x float]], ptr %values, i64 0, i64 %y, i64 %x
  %v = load float, ptr %p, align 4
  %right = add nuw nsw i64 %x, 1
  br label %inner
behind:
  %below = add nuw nsw i64 %y, 1
  br label %outer
done:
  ret float 0.0
}

; A constant index.
; CHECK-LABEL: define float @constant(
; CHECK: br i1 true
; CHECK: call void @__gasan_source_fault(
; CHECK-NOT: call
; CHECK: ret float
define float @constant() sanitize_address {
  %values = alloca [4 x float], align 4
  %p = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 4
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 3
  %y = load float, ptr %q, align 4
  ret float %y
}

; A constant, whose loads the optimiser computes. The loads of a variable remain, and get their check at the end.
; CHECK-LABEL: define float @tables(
; CHECK: icmp ugt i64 %{{.*}}, 12
; CHECK: call void @__gasan_source_fault(ptr %p, i64 4, i32 0, ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 16)
; CHECK-NOT: call
; CHECK: ret float
define float @tables() sanitize_address {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr inbounds [4 x float], ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 0, i64 %i
  %x = load float, ptr %p, align 4
  %q = getelementptr inbounds [4 x float], ptr addrspacecast (ptr addrspace(1) @changed to ptr), i64 0, i64 %i
  %y = load float, ptr %q, align 4
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i, 4
  br i1 %again, label %body, label %done
done:
  ret float %x
}

; The last round reads values[3].
; CHECK-LABEL: define float @inside(
; CHECK-NOT: call
; CHECK: ret float
define float @inside() sanitize_address {
entry:
  %values = alloca [4 x float], align 4
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %again = icmp slt i64 %i, 4
  br i1 %again, label %body, label %done
body:
  %p = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %i
  %x = load float, ptr %p, align 4
  %next = add nsw i64 %i, 1
  br label %test
done:
  ret float 0.0
}

; Some rounds do not read, the loop may end earlier, or the number of rounds is an argument.
; CHECK-LABEL: define float @not_certain(
; CHECK-NOT: call
; CHECK: ret float
define float @not_certain(i1 %reads, i64 %n) sanitize_address {
entry:
  %values = alloca [4 x float], align 4
  br label %first
first:
  %i = phi i64 [ 0, %entry ], [ %next.i, %first.end ]
  br i1 %reads, label %read, label %first.end
read:
  %p = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %i
  %x = load float, ptr %p, align 4
  br label %first.end
first.end:
  %next.i = add nuw nsw i64 %i, 1
  %again.i = icmp ult i64 %i, 8
  br i1 %again.i, label %first, label %second
second:
  %j = phi i64 [ 0, %first.end ], [ %next.j, %second.end ]
  %q = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %j
  %y = load float, ptr %q, align 4
  %low = fcmp olt float %y, 1.0
  br i1 %low, label %third, label %second.end
second.end:
  %next.j = add nuw nsw i64 %j, 1
  %again.j = icmp ult i64 %j, 8
  br i1 %again.j, label %second, label %third
third:
  %k = phi i64 [ 0, %second ], [ 0, %second.end ], [ %next.k, %third ]
  %r = getelementptr inbounds [4 x float], ptr %values, i64 0, i64 %k
  %z = load float, ptr %r, align 4
  %next.k = add nuw nsw i64 %k, 1
  %again.k = icmp ult i64 %next.k, %n
  br i1 %again.k, label %third, label %done
done:
  ret float 0.0
}

; In unreachable code, a pointer may be derived from itself.
; CHECK-LABEL: define void @unreachable(
; CHECK-NOT: call
; CHECK: ret void
define void @unreachable() sanitize_address {
  ret void
around:
  %p = getelementptr i8, ptr %p, i64 1
  store i8 1, ptr %p, align 1
  br label %around
}
