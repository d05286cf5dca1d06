/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The module of kernel/canary.cu as a string: PTX for the driver's compiler. */
	.section .rodata
	.globl	gasan_canary_image
	.hidden	gasan_canary_image
	.type	gasan_canary_image, @object
gasan_canary_image:
	.incbin	GASAN_CANARY_PTX
	.byte	0
	.size	gasan_canary_image, . - gasan_canary_image
	.section .note.GNU-stack, "", @progbits
