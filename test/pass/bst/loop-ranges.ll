; A loop whose number of rounds is not known before it, but whose tests bound its indices, exists twice. Code before the
; loop compares the range, and the copy has no checks.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -passes=gasan-instrument,verify -S %s | FileCheck %s
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=off -gasan-loop-range-checks=false \
; RUN:   -passes=gasan-instrument,verify -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: .gasan:

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i1 @unknown() nounwind willreturn memory(none)

@array = internal addrspace(3) global [48 x i32] undef, align 4

; Two lists are merged: each place moves on by 1 or stays, and both are tested at the end of each round. So they are
; also tested before the first one. The copy begins with the numbers that were compared.
; CHECK-LABEL: define void @merge(
; CHECK-DAG: %[[A:.*]] = freeze i32 %a0
; CHECK-DAG: %[[A_END:.*]] = freeze i32 %a_end
; CHECK-DAG: %[[A_LAST:.*]] = add i32 %[[A_END]], -1
; CHECK-DAG: icmp ule i32 %[[A]], %[[A_LAST]]
; CHECK-DAG: icmp ult i32 %[[A_LAST]], 48
; CHECK-DAG: icmp slt i32 %[[A]], %[[A_END]]
; CHECK-DAG: %[[B:.*]] = freeze i32 %b0
; CHECK-DAG: %[[B_END:.*]] = freeze i32 %b_end
; CHECK-DAG: icmp slt i32 %[[B]], %[[B_END]]
; CHECK: loop.gasan:
; CHECK: phi i32 [ %[[A]], %{{.*}} ]
; CHECK: phi i32 [ %[[B]], %{{.*}} ]
; CHECK-NOT: __gasan_report_bounds
; CHECK: icmp slt i32 %{{.*}}, %[[A_END]]
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
define void @merge(i32 %a0, i32 %a_end, i32 %b0, i32 %b_end) sanitize_address {
entry:
  br label %loop
loop:
  %a = phi i32 [ %a0, %entry ], [ %a_next, %moved ]
  %b = phi i32 [ %b0, %entry ], [ %b_next, %moved ]
  %a_wide = sext i32 %a to i64
  %a_at = getelementptr i32, ptr addrspace(3) @array, i64 %a_wide
  %left = load i32, ptr addrspace(3) %a_at, align 4
  %b_wide = sext i32 %b to i64
  %b_at = getelementptr i32, ptr addrspace(3) @array, i64 %b_wide
  %right = load i32, ptr addrspace(3) %b_at, align 4
  %less = icmp slt i32 %left, %right
  br i1 %less, label %move_a, label %move_b
move_a:
  %a_more = add i32 %a, 1
  br label %moved
move_b:
  %b_more = add i32 %b, 1
  br label %moved
moved:
  %a_next = phi i32 [ %a_more, %move_a ], [ %a, %move_b ]
  %b_next = phi i32 [ %b, %move_a ], [ %b_more, %move_b ]
  %a_is_in = icmp slt i32 %a_next, %a_end
  %b_is_in = icmp slt i32 %b_next, %b_end
  %both = select i1 %a_is_in, i1 %b_is_in, i1 false
  br i1 %both, label %loop, label %done
done:
  ret void
}

; A binary search, tested before each round. The sum of both ends must not wrap.
; CHECK-LABEL: define i32 @search(
; CHECK-DAG: %[[LOW:.*]] = freeze i32 %low0
; CHECK-DAG: %[[HIGH:.*]] = freeze i32 %high0
; CHECK-DAG: icmp ule i32 %[[LOW]], %[[HIGH]]
; CHECK-DAG: icmp ult i32 %[[HIGH]], 48
; CHECK-DAG: %[[BITS:.*]] = or i32 %[[LOW]], %[[HIGH]]
; CHECK-DAG: icmp ult i32 %[[BITS]], 1073741824
; CHECK: loop.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: call void @__gasan_report_bounds
define i32 @search(i32 %low0, i32 %high0, i32 %wanted) sanitize_address {
entry:
  br label %loop
loop:
  %low = phi i32 [ %low0, %entry ], [ %low_next, %look ]
  %high = phi i32 [ %high0, %entry ], [ %high_next, %look ]
  %more = icmp sle i32 %low, %high
  br i1 %more, label %look, label %done
look:
  %sum = add nsw i32 %low, %high
  %middle = ashr i32 %sum, 1
  %wide = sext i32 %middle to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  %value = load i32, ptr addrspace(3) %at, align 4
  %less = icmp slt i32 %value, %wanted
  %behind = add i32 %middle, 1
  %before = add i32 %middle, -1
  %low_next = select i1 %less, i32 %behind, i32 %low
  %high_next = select i1 %less, i32 %high, i32 %before
  br label %loop
done:
  ret i32 %low
}

; Down to 0, by 1 or not at all; the element behind is written, too.
; CHECK-LABEL: define void @down(
; CHECK-DAG: %[[FROM:.*]] = freeze i32 %from
; CHECK-DAG: icmp ult i32 %[[FROM]], 48
; CHECK-DAG: %[[BEHIND:.*]] = add i32 %[[FROM]], 1
; CHECK-DAG: icmp ule i32 1, %[[BEHIND]]
; CHECK-DAG: icmp ult i32 %[[BEHIND]], 48
; CHECK: loop.gasan:
; CHECK-NOT: __gasan_report_bounds
; CHECK: {{^}}loop:
; CHECK: ret void
define void @down(i32 %from, i32 %number) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %from, %entry ], [ %next, %move ]
  %is_in = icmp sgt i32 %i, -1
  br i1 %is_in, label %look, label %done
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  %value = load i32, ptr addrspace(3) %at, align 4
  %greater = icmp sgt i32 %value, %number
  br i1 %greater, label %move, label %done
move:
  %behind = add i32 %i, 1
  %behind_wide = sext i32 %behind to i64
  %behind_at = getelementptr i32, ptr addrspace(3) @array, i64 %behind_wide
  store i32 %value, ptr addrspace(3) %behind_at, align 4
  %moves = call i1 @unknown()
  %step = sext i1 %moves to i32
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}

; The variable may reach the end itself, so one more step must not wrap.
; CHECK-LABEL: define void @up_to_end(
; CHECK-DAG: %[[END:.*]] = freeze i32 %end
; CHECK-DAG: icmp ne i32 %[[END]], 2147483647
; CHECK: look.gasan:
; CHECK: ret void
define void @up_to_end(i32 %first, i32 %end) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %look ]
  %is_in = icmp sle i32 %i, %end
  br i1 %is_in, label %look, label %done
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %moves = call i1 @unknown()
  %step = zext i1 %moves to i32
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}

; Loops that are not copied: no test before the access;
; CHECK-LABEL: define void @tested_after(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @tested_after(i32 %first, i32 %end) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %again ]
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %is_in = icmp slt i32 %i, %end
  br i1 %is_in, label %again, label %done
again:
  %moves = call i1 @unknown()
  %step = zext i1 %moves to i32
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}

; a step of 2, which may pass the end and wrap;
; CHECK-LABEL: define void @step_of_2(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @step_of_2(i32 %first, i32 %end) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %look ]
  %is_in = icmp slt i32 %i, %end
  br i1 %is_in, label %look, label %done
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %moves = call i1 @unknown()
  %step = select i1 %moves, i32 2, i32 0
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}

; the step happens where a test of other signedness holds: the number may wrap to the least one;
; CHECK-LABEL: define void @other_order(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @other_order(i32 %first, i32 %end) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %again ]
  %is_before = icmp slt i32 %i, %end
  br i1 %is_before, label %look, label %skip
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  br label %skip
skip:
  %is_in = icmp ult i32 %i, %end
  br i1 %is_in, label %again, label %done
again:
  %moves = call i1 @unknown()
  %step = zext i1 %moves to i32
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}

; an unsigned search that may step below 0;
; CHECK-LABEL: define void @below_0(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @below_0(i32 %low0, i32 %high0) sanitize_address {
entry:
  br label %loop
loop:
  %low = phi i32 [ %low0, %entry ], [ %low_next, %look ]
  %high = phi i32 [ %high0, %entry ], [ %high_next, %look ]
  %more = icmp ule i32 %low, %high
  br i1 %more, label %look, label %done
look:
  %sum = add i32 %low, %high
  %middle = lshr i32 %sum, 1
  %wide = zext i32 %middle to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %less = call i1 @unknown()
  %behind = add i32 %middle, 1
  %before = add i32 %middle, -1
  %low_next = select i1 %less, i32 %behind, i32 %low
  %high_next = select i1 %less, i32 %high, i32 %before
  br label %loop
done:
  ret void
}

; a search whose middle is computed down from the greater end: half of the difference, which is below 0, is far away as
; an unsigned number, and 0 if it is rounded to 0;
; CHECK-LABEL: define void @middle_from_above(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @middle_from_above(i32 %low0, i32 %high0) sanitize_address {
entry:
  br label %loop
loop:
  %low = phi i32 [ %low0, %entry ], [ %low_next, %look ]
  %high = phi i32 [ %high0, %entry ], [ %high_next, %look ]
  %more = icmp ult i32 %low, %high
  br i1 %more, label %look, label %done
look:
  %distance = sub i32 %low, %high
  %half = lshr i32 %distance, 1
  %middle = add i32 %high, %half
  %wide = zext i32 %middle to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %less = call i1 @unknown()
  %behind = add i32 %middle, 1
  %low_next = select i1 %less, i32 %behind, i32 %low
  %high_next = select i1 %less, i32 %high, i32 %middle
  br label %loop
done:
  ret void
}

; CHECK-LABEL: define void @middle_rounded_up(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @middle_rounded_up(i32 %low0, i32 %high0) sanitize_address {
entry:
  br label %loop
loop:
  %low = phi i32 [ %low0, %entry ], [ %low_next, %look ]
  %high = phi i32 [ %high0, %entry ], [ %high_next, %look ]
  %more = icmp slt i32 %low, %high
  br i1 %more, label %look, label %done
look:
  %distance = sub i32 %low, %high
  %half = sdiv i32 %distance, 2
  %middle = add i32 %high, %half
  %wide = sext i32 %middle to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %less = call i1 @unknown()
  %before = add i32 %middle, -1
  %low_next = select i1 %less, i32 %middle, i32 %low
  %high_next = select i1 %less, i32 %high, i32 %before
  br label %loop
done:
  ret void
}

; an end that changes in the loop;
; CHECK-LABEL: define void @moving_end(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @moving_end(i32 %first, i32 %end0) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %look ]
  %end = phi i32 [ %end0, %entry ], [ %end_next, %look ]
  %is_in = icmp slt i32 %i, %end
  br i1 %is_in, label %look, label %done
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  store i32 1, ptr addrspace(3) %at, align 4
  %moves = call i1 @unknown()
  %step = zext i1 %moves to i32
  %next = add i32 %i, %step
  %end_next = add i32 %end, 1
  br label %loop
done:
  ret void
}

; a loop with another check in each round.
; CHECK-LABEL: define void @other_check(
; CHECK-NOT: .gasan:
; CHECK: ret void
define void @other_check(i32 %first, i32 %end) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ %first, %entry ], [ %next, %look ]
  %is_in = icmp slt i32 %i, %end
  br i1 %is_in, label %look, label %done
look:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr addrspace(3) @array, i64 %wide
  %place = load i32, ptr addrspace(3) %at, align 4
  %place_wide = sext i32 %place to i64
  %other = getelementptr i32, ptr addrspace(3) @array, i64 %place_wide
  store i32 1, ptr addrspace(3) %other, align 4
  %moves = call i1 @unknown()
  %step = zext i1 %moves to i32
  %next = add i32 %i, %step
  br label %loop
done:
  ret void
}
