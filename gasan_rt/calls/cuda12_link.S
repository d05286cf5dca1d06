/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan_cuda12.o, which gasan-clang++ links into a program or library that was compiled with CUDA 12's headers. Its
 * hidden functions direct the program's calls of cuda12.inc's names to the functions for CUDA 12. */
	.text
	.macro	direct name
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	jmp	gasan_cuda12_\name@PLT
	.size	\name, .-\name
	.endm

#define GASAN_CUDA12(name) direct name
#include "gasan_rt/calls/cuda12.inc"

	.section .note.GNU-stack, "", @progbits
