/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions for 16-bit floats that the x86 back end calls by these names and that libgcc may lack. They are local to
 * the image (gasan_pass/retarget), so they do not conflict with the program's functions. */
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

/* Rounds to float and sets the last bit if bits were lost ("round to odd"), so that a second rounding is right. */
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
