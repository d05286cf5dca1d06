/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the helpers of the CPU device have in common. A helper is one C function that stands for one llvm.nvvm
 * intrinsic: gasan_pass/retarget finds it by the intrinsic's name (llvm.nvvm.membar.cta: gasan_nvvm_membar_cta; a
 * mangled pointer type at the end, ".p0", is left out). An intrinsic with a struct result becomes a helper with one out
 * pointer for each member behind the arguments. The helpers are bitcode, linked into every CPU image and inlined there.
 */
#ifndef GASAN_DEVICE_CPU_HELPERS_HELPER_H
#define GASAN_DEVICE_CPU_HELPERS_HELPER_H

#include "device/cpu/thread.h"
#include <stdbool.h>
#include <stdint.h>

#define NVVM(name) gasan_nvvm_##name
#define HELPER __attribute__((always_inline, nothrow))
/* For code that changes the rounding mode: kept out of line, where no other arithmetic can be moved into it. */
#define OUTLINE __attribute__((noinline, nothrow))
/* Helpers that may wait: control flow must not be changed around them. */
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

/* PTX .sat: into [0, 1], NaN becomes 0. */
static inline HELPER float gasan_saturate(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
}

#endif
