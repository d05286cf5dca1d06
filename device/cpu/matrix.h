/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the pass and the helpers agree on for matrix operations of a warp (mma, wmma). */
#ifndef GASAN_DEVICE_CPU_MATRIX_H
#define GASAN_DEVICE_CPU_MATRIX_H

enum gasan_matrix_type {
  GASAN_MATRIX_F16,
  GASAN_MATRIX_BF16,
  GASAN_MATRIX_TF32,
  GASAN_MATRIX_F32,
  GASAN_MATRIX_F64,
  GASAN_MATRIX_S8,
  GASAN_MATRIX_U8,
  GASAN_MATRIX_S4,
  GASAN_MATRIX_U4,
  GASAN_MATRIX_B1,
  GASAN_MATRIX_S32,
};

enum gasan_matrix_flags {
  GASAN_MATRIX_FRAGMENT_MMA = 1, /* elements lie in the lanes as PTX says for mma; else as wmma leaves open */
  GASAN_MATRIX_SATFINITE = 2,
  GASAN_MATRIX_AND = 4, /* of single bits; else exclusive or */
};

enum gasan_matrix_operand { GASAN_MATRIX_A, GASAN_MATRIX_B, GASAN_MATRIX_C };

/* 32-bit registers of a lane that any operand takes. */
enum { GASAN_MATRIX_REGISTERS = 16 };

#endif
