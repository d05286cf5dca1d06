; Remainders as LLVM computes them for a GPU, i - i / width * width, and tests of remainders and of an integer's lowest
; bits.
; RUN: %opt_gasan -gasan-mode=bst -gasan-launch-proof=on -gasan-print-proofs -passes=gasan-instrument,verify \
; RUN:   -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK-LABEL: kernel remainder: 1 claims
; CHECK-NEXT: proven at launch if a + s64((threadIdx.x % width)), 1 bytes,
define ptx_kernel void @remainder(ptr %a, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = sdiv i32 %i, %width
  %start = mul nsw i32 %width, %row
  %column = sub nsw i32 %i, %start
  %w = sext i32 %column to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; CHECK-LABEL: kernel remainder_unsigned: 1 claims
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x %u width)), 1 bytes,
define ptx_kernel void @remainder_unsigned(ptr %a, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = udiv i32 %i, %width
  %start = mul nuw i32 %row, %width
  %column = sub nuw i32 %i, %start
  %w = zext i32 %column to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; Code from PTX divides by max(width, 1). If the width is 0, the remainder is the dividend.
; CHECK-LABEL: kernel remainder_ptx: 2 claims
; CHECK-NEXT: proven at launch if a + u64(either((threadIdx.x %u maxu(width, 1)), (threadIdx.x if there is
; CHECK-SAME: {{^}} (width where == 0)))), 1 bytes,
; CHECK-NEXT: proven at launch if b + u64(threadIdx.x), 1 bytes,
define ptx_kernel void @remainder_ptx(ptr %a, ptr %b, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %divisor = call i32 @llvm.umax.i32(i32 %width, i32 1)
  %row = udiv i32 %i, %divisor
  %start = mul i32 %row, %width
  %column = sub i32 %i, %start
  %w = zext i32 %column to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %sum = add i32 %start, %column
  %sw = zext i32 %sum to i64
  %sp = getelementptr i8, ptr %b, i64 %sw
  store i8 1, ptr %sp, align 1
  ret void
}

; The quotient of another number is multiplied.
; CHECK-LABEL: kernel no_remainder: 1 claims
; CHECK-NEXT: proven at launch if a + s64((threadIdx.x - ((n / width) * width))), 1 bytes,
define ptx_kernel void @no_remainder(ptr %a, i32 %n, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = sdiv i32 %n, %width
  %start = mul i32 %row, %width
  %column = sub i32 %i, %start
  %w = sext i32 %column to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; row * width + column is i. The least value divided by -1 is undefined.
; CHECK-LABEL: kernel together: 2 claims
; CHECK-NEXT: proven at launch if a + u64(threadIdx.x), 1 bytes,
; CHECK-NEXT: proven at launch if b + s64(exact(threadIdx.x)), 1 bytes,
define ptx_kernel void @together(ptr %a, ptr %b, i32 %width) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = udiv i32 %i, %width
  %start = mul nuw i32 %row, %width
  %column = sub nuw i32 %i, %start
  %sum = add nuw i32 %column, %start
  %w = zext i32 %sum to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %srow = sdiv i32 %i, %width
  %sstart = mul nsw i32 %srow, %width
  %scolumn = sub nsw i32 %i, %sstart
  %ssum = add nsw i32 %sstart, %scolumn
  %sw = sext i32 %ssum to i64
  %sp = getelementptr i8, ptr %b, i64 %sw
  store i8 1, ptr %sp, align 1
  ret void
}

; Threads whose number is a multiple of 8, or of a power of two that is an argument, or odd.
; CHECK-LABEL: kernel multiples: 3 claims
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where % 8 == ((threadIdx.x & 7) where == 0))), 8 bytes,
; CHECK-NEXT: proven at launch if b + u64(((threadIdx.x where == (((threadIdx.x /u m) * m) +
; CHECK-SAME: {{^}} ((threadIdx.x %u m) where == n))) where % m == ((threadIdx.x %u m) where == n))), 8 bytes,
; CHECK-NEXT: proven at launch if c + u64((threadIdx.x where % 2 == ((threadIdx.x & 1) where != 0))), 1 bytes,
define ptx_kernel void @multiples(ptr %a, ptr %b, ptr %c, i32 %m, i32 %n) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %i to i64
  %low = and i32 %i, 7
  %eighth = icmp eq i32 %low, 0
  br i1 %eighth, label %first, label %second
first:
  %p = getelementptr i8, ptr %a, i64 %w
  store i64 1, ptr %p, align 1
  br label %second
second:
  %r = urem i32 %i, %m
  %same = icmp eq i32 %r, %n
  br i1 %same, label %third, label %fourth
third:
  %q = getelementptr i8, ptr %b, i64 %w
  store i64 1, ptr %q, align 1
  br label %fourth
fourth:
  %bit = and i32 %i, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %fifth, label %done
fifth:
  %s = getelementptr i8, ptr %c, i64 %w
  store i8 1, ptr %s, align 1
  br label %done
done:
  ret void
}

; A test of the lowest 32 bits of an integer, as "(int)i < n".
; CHECK-LABEL: kernel truncated: 2 claims
; CHECK-NEXT: proven at launch if a + ({{.*}} where % 4294967296 == u64((low32(({{.*}})) where < n)))
define ptx_kernel void @truncated(ptr %a, ptr %b, i64 %scale, i32 %n) sanitize_address {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %t to i64
  %i = mul i64 %wide, %scale
  %low = trunc i64 %i to i32
  %below = icmp slt i32 %low, %n
  br i1 %below, label %first, label %second
first:
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p, align 1
  br label %second
second:
  %up = shl i64 %i, 32
  %down = ashr i64 %up, 32
  %m = sext i32 %n to i64
  %again = icmp slt i64 %down, %m
  br i1 %again, label %third, label %done
third:
  %q = getelementptr i8, ptr %b, i64 %i
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A test of a quotient, and one of its remainder: i is quotient * width + remainder.
; CHECK-LABEL: kernel quotients: 2 claims
; CHECK-NEXT: proven at launch if a + u64((threadIdx.x where == ((((threadIdx.x /u width) where <u rows) * width) +
; CHECK-SAME: {{^}} (threadIdx.x %u width)))), 1 bytes,
; CHECK-NEXT: proven at launch if b + u64({{.*}}((threadIdx.x %u width) where <u {{.*}}), 1 bytes,
define ptx_kernel void @quotients(ptr %a, ptr %b, i32 %width, i32 %rows) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %i to i64
  %row = udiv i32 %i, %width
  %column = urem i32 %i, %width
  %in = icmp ult i32 %row, %rows
  br i1 %in, label %first, label %done
first:
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  %last = add i32 %width, -1
  %inner = icmp ult i32 %column, %last
  br i1 %inner, label %second, label %done
second:
  %q = getelementptr i8, ptr %b, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}

; A promise that there is no remainder is not believed.
; CHECK-LABEL: kernel exact_quotients: 0 claims, 1 checks
; CHECK-NEXT: checked: in ordinary launches nothing shows that a + u64(exact((threadIdx.x /u 12))), 1 bytes,
define ptx_kernel void @exact_quotients(ptr %a) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = udiv exact i32 %i, 12
  %w = zext i32 %row to i64
  %p = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %p, align 1
  ret void
}

; The same remainder as LLVM writes it for a GPU, i - i / width * width.
; CHECK-LABEL: kernel subtracted: 1 claims
; CHECK-NEXT: proven at launch if a + u64({{.*}}((threadIdx.x %u width) where <u columns){{.*}}), 1 bytes,
define ptx_kernel void @subtracted(ptr %a, i32 %width, i32 %columns, i32 %rows) sanitize_address {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %i to i64
  %row = udiv i32 %i, %width
  %first = mul i32 %row, %width
  %column = sub i32 %i, %first
  %inner = icmp ult i32 %column, %columns
  br i1 %inner, label %then, label %done
then:
  %q = getelementptr i8, ptr %a, i64 %w
  store i8 1, ptr %q, align 1
  br label %done
done:
  ret void
}
