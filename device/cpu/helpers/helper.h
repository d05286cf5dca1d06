/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Definitions for all helpers of the CPU device. A helper is a C function that implements one llvm.nvvm intrinsic.
 * gasan_pass/retarget finds the helper by the intrinsic's name: gasan_nvvm_membar_cta implements llvm.nvvm.membar.cta.
 * A mangled pointer type at the end of the name (".p0") is omitted. If the intrinsic's result is a struct, the helper
 * has, after the arguments, an out pointer for each member. Helpers are bitcode that is linked into every CPU image and
 * inlined. */
#ifndef GASAN_DEVICE_CPU_HELPERS_HELPER_H
#define GASAN_DEVICE_CPU_HELPERS_HELPER_H

#include "device/cpu/thread.h"
#include <stdbool.h>
#include <stdint.h>

#define NVVM(name) gasan_nvvm_##name
#define THREAD (*gasan_cpu_this_thread()) /* the context */
#define HELPER __attribute__((always_inline, nothrow))
/* Marks code that changes the rounding mode. Such code is not inlined, so that no other arithmetic moves into it. */
#define OUTLINE __attribute__((noinline, nothrow))
/* Marks helpers that may wait: the compiler must not change the control flow around them. */
#define CONVERGENT __attribute__((always_inline, nothrow, convergent))

static inline HELPER uint32_t gasan_bits_of_float(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline HELPER float gasan_float_of_bits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static inline HELPER uint64_t gasan_bits_of_double(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline HELPER double gasan_double_of_bits(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/* PTX .ftz: a subnormal becomes a zero of the same sign. */
static inline HELPER float gasan_flush(float value) {
  uint32_t bits = gasan_bits_of_float(value);
  return (bits & 0x7f800000u) != 0 ? value : gasan_float_of_bits(bits & 0x80000000u);
}

/* PTX .sat: clamps to [0, 1]; NaN becomes 0. */
static inline HELPER float gasan_saturate(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
}

#endif
