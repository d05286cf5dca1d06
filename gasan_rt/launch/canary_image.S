/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module of kernel/canary.cu: a fat binary with machine code, and PTX as a string for GPUs and drivers that do not
 * take it. */
	.section .rodata
	.globl	gasan_canary_fatbin
	.hidden	gasan_canary_fatbin
	.type	gasan_canary_fatbin, @object
	.p2align 3
gasan_canary_fatbin:
	.incbin	GASAN_CANARY_FATBIN
	.size	gasan_canary_fatbin, . - gasan_canary_fatbin
	.globl	gasan_canary_ptx
	.hidden	gasan_canary_ptx
	.type	gasan_canary_ptx, @object
gasan_canary_ptx:
	.incbin	GASAN_CANARY_PTX
	.byte	0
	.size	gasan_canary_ptx, . - gasan_canary_ptx
	.section .note.GNU-stack, "", @progbits
