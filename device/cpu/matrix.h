/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interface between the pass and the helpers for matrix operations of a warp (mma, wmma). */
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
  GASAN_MATRIX_FRAGMENT_MMA = 1, /* lanes have the elements that PTX defines for mma; wmma leaves the layout open */
  GASAN_MATRIX_SATFINITE = 2,
  GASAN_MATRIX_AND = 4, /* single bits are combined by and; otherwise by exclusive or */
};

enum gasan_matrix_operand { GASAN_MATRIX_A, GASAN_MATRIX_B, GASAN_MATRIX_C };

/* Most 32-bit registers of a lane that an operand takes. */
enum { GASAN_MATRIX_REGISTERS = 16 };

#endif
