; Loop variables that go around a few numbers: the compiler lists them.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: kernel stage: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64([0, 2]), 1 bytes, is in bounds
define ptx_kernel void @stage(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %stage = phi i32 [ 1, %entry ], [ %next, %loop ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %after = add i32 %stage, 1
  %last = icmp sgt i32 %after, 2
  %next = select i1 %last, i32 0, i32 %after
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; The place moves with the stage, by branches here. Other numbers decide when it does.
; CHECK-LABEL: kernel place: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + [0, 384], 1 bytes, is in bounds
define ptx_kernel void @place(ptr %a, ptr %more) sanitize_address {
entry:
  br label %loop
loop:
  %stage = phi i32 [ 3, %entry ], [ %next, %latch ]
  %place = phi i64 [ 384, %entry ], [ %moved, %latch ]
  %p = getelementptr i8, ptr %a, i64 %place
  store i8 1, ptr %p, align 1
  %kind = load volatile i32, ptr %more, align 4
  %stays = icmp eq i32 %kind, 1
  br i1 %stays, label %latch, label %moves
moves:
  %last = icmp eq i32 %stage, 3
  br i1 %last, label %around, label %on
around:
  %back = add i64 %place, -384
  br label %latch
on:
  %further = add i64 %place, 128
  %up = add i32 %stage, 1
  br label %latch
latch:
  %next = phi i32 [ %stage, %loop ], [ 0, %around ], [ %up, %on ]
  %moved = phi i64 [ %place, %loop ], [ %back, %around ], [ %further, %on ]
  %goes = icmp ne i32 %kind, 0
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; The stage of a kernel with a loop over tiles, whose inner loop goes on where the last one stopped.
; CHECK-LABEL: kernel nested: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64([0, 3]), 1 bytes, is in bounds
define ptx_kernel void @nested(ptr %a, i32 %n, i32 %m) sanitize_address {
entry:
  br label %tiles
tiles:
  %tile = phi i32 [ 0, %entry ], [ %nextTile, %tileDone ]
  %first = phi i32 [ 0, %entry ], [ %next, %tileDone ]
  br label %loop
loop:
  %i = phi i32 [ 0, %tiles ], [ %more, %loop ]
  %stage = phi i32 [ %first, %tiles ], [ %next, %loop ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %last = icmp eq i32 %stage, 3
  %after = add i32 %stage, 1
  %next = select i1 %last, i32 0, i32 %after
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %tileDone
tileDone:
  %nextTile = add i32 %tile, 1
  %isMore = icmp slt i32 %nextTile, %m
  br i1 %isMore, label %tiles, label %done
done:
  ret void
}

; The stage starts behind the one that is compared, so it leaves the ring.
; CHECK-LABEL: kernel missed: 0 claims, 1 checks in all variants
define ptx_kernel void @missed(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %stage = phi i32 [ 4, %entry ], [ %next, %loop ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %last = icmp eq i32 %stage, 3
  %after = add nsw nuw i32 %stage, 1
  %next = select i1 %last, i32 0, i32 %after
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; An argument decides where the ring ends, so the compiler cannot list the numbers.
; CHECK-LABEL: kernel argument: 0 claims, 1 checks in all variants
define ptx_kernel void @argument(ptr %a, i32 %n, i32 %stages) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %stage = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %after = add i32 %stage, 1
  %last = icmp eq i32 %after, %stages
  %next = select i1 %last, i32 0, i32 %after
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; A promise of the sum does not hold, so code generation may compute it in more bits. Then the place is 1000000.
; CHECK-LABEL: kernel promise: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64({{.*}}1000000{{.*}}), 1 bytes, is in bounds
define ptx_kernel void @promise(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %stage = phi i8 [ 0, %entry ], [ %next, %loop ]
  %place = phi i32 [ 0, %entry ], [ %moved, %loop ]
  %wide = zext i32 %place to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %after = add nsw i8 %stage, 100
  %sum = sext i8 %after to i32
  %wraps = icmp slt i32 %sum, 0
  %next = select i1 %wraps, i8 100, i8 %after
  %second = icmp eq i8 %stage, 100
  %far = select i1 %second, i32 1000000, i32 2
  %moved = select i1 %wraps, i32 3, i32 %far
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; Two inner loops that lead into each other, which data decide.
; CHECK-LABEL: kernel irreducible: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64([0, 7]), 1 bytes, is in bounds
define ptx_kernel void @irreducible(ptr %a, ptr %more) sanitize_address {
entry:
  br label %loop
loop:
  %stage = phi i32 [ 0, %entry ], [ %next, %latch ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %kind = load volatile i32, ptr %more, align 4
  %isFirst = icmp eq i32 %kind, 1
  br i1 %isFirst, label %first, label %second
first:
  %one = phi i32 [ %stage, %loop ], [ %otherFlipped, %second ]
  %oneFlipped = xor i32 %one, 1
  %kindOne = load volatile i32, ptr %more, align 4
  %goesOn = icmp eq i32 %kindOne, 1
  br i1 %goesOn, label %second, label %latch
second:
  %other = phi i32 [ %stage, %loop ], [ %oneFlipped, %first ]
  %otherFlipped = xor i32 %other, 6
  %kindTwo = load volatile i32, ptr %more, align 4
  %goesBack = icmp eq i32 %kindTwo, 1
  br i1 %goesBack, label %first, label %latch
latch:
  %next = phi i32 [ %oneFlipped, %first ], [ %otherFlipped, %second ]
  %kindLast = load volatile i32, ptr %more, align 4
  %goes = icmp ne i32 %kindLast, 0
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; All move at the same time: the sum of two stages in turn is never 6.
; CHECK-LABEL: kernel together: 1 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64([0, 5]), 1 bytes, is in bounds
define ptx_kernel void @together(ptr %a, i32 %n) sanitize_address {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %stage = phi i32 [ 0, %entry ], [ %next, %loop ]
  %before = phi i32 [ 0, %entry ], [ %stage, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %both, %loop ]
  %wide = zext i32 %sum to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %last = icmp eq i32 %stage, 3
  %up = add i32 %stage, 1
  %next = select i1 %last, i32 0, i32 %up
  %both = add i32 %stage, %before
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; Data decide the rounds in which the stage moves.
; CHECK-LABEL: kernel decided: 2 claims, 0 checks in all variants
; CHECK-NEXT: proven at launch if a + u64([0, 3]), 1 bytes, is in bounds
define ptx_kernel void @decided(ptr %a, ptr %more) sanitize_address {
entry:
  br label %loop
loop:
  %stage = phi i32 [ 0, %entry ], [ %next, %loop ]
  %wide = zext i32 %stage to i64
  %p = getelementptr i8, ptr %a, i64 %wide
  store i8 1, ptr %p, align 1
  %kind = load volatile i32, ptr %more, align 4
  %stays = icmp eq i32 %kind, 1
  %last = icmp eq i32 %stage, 3
  %up = add i32 %stage, 1
  %around = select i1 %last, i32 0, i32 %up
  %next = select i1 %stays, i32 %stage, i32 %around
  %goes = icmp ne i32 %kind, 0
  br i1 %goes, label %loop, label %done
done:
  ret void
}

; The place stays where data decide, so it leaves the ring that the stage goes around.
; CHECK-LABEL: kernel apart: 1 claims, 1 checks in all variants
define ptx_kernel void @apart(ptr %a, ptr %more) sanitize_address {
entry:
  br label %loop
loop:
  %stage = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = phi i64 [ 0, %entry ], [ %moved, %loop ]
  %p = getelementptr i8, ptr %a, i64 %place
  store i8 1, ptr %p, align 1
  %kind = load volatile i32, ptr %more, align 4
  %stays = icmp eq i32 %kind, 1
  %last = icmp eq i32 %stage, 3
  %up = add i32 %stage, 1
  %next = select i1 %last, i32 0, i32 %up
  %further = add i64 %place, 128
  %back = add i64 %place, -384
  %way = select i1 %last, i64 %back, i64 %further
  %moved = select i1 %stays, i64 %place, i64 %way
  %goes = icmp ne i32 %kind, 0
  br i1 %goes, label %loop, label %done
done:
  ret void
}
