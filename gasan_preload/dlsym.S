/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* void *dlsym(void *handle, const char *name), in front of the C library's. The C library looks at the return address
 * for RTLD_NEXT and RTLD_DEFAULT, so all names but libcuda's, NVRTC's and nvJitLink's go by a jump. */
	.text
	.globl	dlsym
	.type	dlsym, @function
	.p2align 4
dlsym:
	endbr64
	testq	%rsi, %rsi
	je	1f
	cmpq	$-1, %rdi		/* RTLD_NEXT */
	je	1f
	cmpb	$0, (%rsi)
	je	1f
	cmpw	$0x766e, (%rsi)		/* "nv": NVRTC, nvJitLink */
	je	0f
	cmpw	$0x5f5f, (%rsi)		/* "__nv": nvJitLink, by the names of its header */
	jne	5f
	cmpb	$0x6e, 2(%rsi)
	jne	5f
	cmpb	$0x76, 3(%rsi)
	je	0f
5:	testq	%rdi, %rdi		/* RTLD_DEFAULT: exports.c has libcuda's names */
	je	1f
	cmpw	$0x7563, (%rsi)		/* "cu" */
	jne	1f
0:	movq	(%rsp), %rdx
	testq	%rdi, %rdi
	je	3f
	jmp	gasan_preload_dlsym
3:	pushq	%rsi			/* a library that only the caller sees is found by the jump */
	call	gasan_preload_dlsym
	popq	%rsi
	testq	%rax, %rax
	jne	4f
	xorl	%edi, %edi
1:	movq	gasan_preload_next_dlsym(%rip), %rax
	testq	%rax, %rax
	je	2f
	jmp	*%rax
2:	pushq	%rdi
	pushq	%rsi
	subq	$8, %rsp
	call	gasan_preload_start
	addq	$8, %rsp
	popq	%rsi
	popq	%rdi
	jmp	1b
4:	ret
	.size	dlsym, .-dlsym
	.section .note.GNU-stack, "", @progbits
