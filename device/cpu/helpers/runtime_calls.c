/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the x86 back end calls by these very names for 16-bit floats and that libgcc may not have. The image
 * keeps them local (gasan_pass/retarget), so they meet nothing else of the program. */
#include "device/cpu/helpers/helper.h"

__bf16 __truncsfbf2(float value);
__bf16 __truncdfbf2(double value);
_Float16 __truncdfhf2(double value);

__attribute__((nothrow)) __bf16 __truncsfbf2(float value) {
  uint32_t bits = gasan_bits_of_float(value);
  uint16_t upper;
  __bf16 result;
  if (value != value)
    upper = (uint16_t)(bits >> 16 | 0x40);
  else
    upper = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  __builtin_memcpy(&result, &upper, sizeof result);
  return result;
}

/* To float first, with the last bit standing for all that was cut off ("round to odd"), then the second rounding is
 * right. */
static inline HELPER float narrow_to_odd(double value) {
  float nearest = (float)value;
  uint32_t bits = gasan_bits_of_float(nearest);
  if ((double)nearest == value || value != value)
    return nearest;
  if (__builtin_fabs((double)nearest) > __builtin_fabs(value))
    --bits; /* toward zero */
  return gasan_float_of_bits(bits | 1);
}

__attribute__((nothrow)) __bf16 __truncdfbf2(double value) {
  return __truncsfbf2(narrow_to_odd(value));
}

__attribute__((nothrow)) _Float16 __truncdfhf2(double value) {
  return (_Float16)narrow_to_odd(value);
}
