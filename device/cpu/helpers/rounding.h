/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arithmetic in a given rounding mode: the SSE control register is set for one operation. */
#ifndef GASAN_DEVICE_CPU_HELPERS_ROUNDING_H
#define GASAN_DEVICE_CPU_HELPERS_ROUNDING_H

#include "device/cpu/helpers/helper.h"
#include <xmmintrin.h>

/* PTX .rn, .rm, .rp and .rz in the control register's rounding field */
enum { ROUND_rn = 0x0000, ROUND_rm = 0x2000, ROUND_rp = 0x4000, ROUND_rz = 0x6000, ROUND_MASK = 0x6000 };

/* The compiler takes arithmetic for independent of the control register; a value that went through here cannot be
 * computed earlier, nor used later, than the change of the mode. */
#define PIN_VECTOR(value) __asm__ volatile("" : "+x"(value))
#define PIN_INTEGER(value) __asm__ volatile("" : "+r"(value))

static inline HELPER uint32_t gasan_set_rounding(uint32_t mode) {
  uint32_t before = _mm_getcsr();
  _mm_setcsr((before & ~(uint32_t)ROUND_MASK) | mode);
  return before;
}

#endif
