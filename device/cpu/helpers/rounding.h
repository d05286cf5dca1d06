/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Computes in a given rounding mode, which is set in the SSE control register for one operation. */
#ifndef GASAN_DEVICE_CPU_HELPERS_ROUNDING_H
#define GASAN_DEVICE_CPU_HELPERS_ROUNDING_H

#include "device/cpu/helpers/helper.h"
#include <xmmintrin.h>

/* PTX's .rn, .rm, .rp and .rz in the control register's rounding field */
enum { ROUND_rn = 0x0000, ROUND_rm = 0x2000, ROUND_rp = 0x4000, ROUND_rz = 0x6000, ROUND_MASK = 0x6000 };

/* The compiler assumes that arithmetic does not depend on the control register. These keep an operation between the two
 * changes of the mode: a pinned value is neither computed after this point nor used before it. */
#define PIN_VECTOR(value) __asm__ volatile("" : "+x"(value))
#define PIN_INTEGER(value) __asm__ volatile("" : "+r"(value))

static inline HELPER uint32_t gasan_set_rounding(uint32_t mode) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr((before & ~(uint32_t)ROUND_MASK) | mode);
  return before;
}

#endif
