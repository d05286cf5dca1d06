/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An exported function for each symbol of libcudart that is not intercepted (forwards.inc). A call jumps through a
 * slot. At first the slot points to code that finds the target and saves all argument registers, so no prototype is
 * needed. */
	.text
	.p2align 4
	.type	forward_find, @function
/* r10: name, r11: slot */
forward_find:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%rax
	subq	$136, %rsp
	movups	%xmm0, (%rsp)
	movups	%xmm1, 16(%rsp)
	movups	%xmm2, 32(%rsp)
	movups	%xmm3, 48(%rsp)
	movups	%xmm4, 64(%rsp)
	movups	%xmm5, 80(%rsp)
	movups	%xmm6, 96(%rsp)
	movups	%xmm7, 112(%rsp)
	movq	%r10, %rdi
	movq	%r11, %rsi
	call	gasan_forward_resolve
	movq	%rax, %r11
	movups	(%rsp), %xmm0
	movups	16(%rsp), %xmm1
	movups	32(%rsp), %xmm2
	movups	48(%rsp), %xmm3
	movups	64(%rsp), %xmm4
	movups	80(%rsp), %xmm5
	movups	96(%rsp), %xmm6
	movups	112(%rsp), %xmm7
	addq	$136, %rsp
	popq	%rax
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rbp
	jmp	*%r11
	.size	forward_find, .-forward_find

	.macro	forward name
	.section .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
	.asciz	"\name"
	.data
	.p2align 3
.Lslot_\name:
	.quad	.Lfind_\name
	.text
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	jmp	*.Lslot_\name(%rip)
	.size	\name, .-\name
.Lfind_\name:
	leaq	.Lname_\name(%rip), %r10
	leaq	.Lslot_\name(%rip), %r11
	jmp	forward_find
	.endm

#define GASAN_FORWARD(name) forward name
#include "gasan_rt/calls/forwards.inc"

	.section .note.GNU-stack, "", @progbits
