/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The outlined check, for accesses that may cross a shadow block, or whose size is known only at run time. */
#include "gasan_rt/kernel/device_code.h"

GASAN_INLINE bool gasan_range_faults(uint32_t scale, uint64_t address, uint64_t size) {
  if (size == 0)
    return false;
  uint64_t last = address + (size - 1);
  if (last < address)
    last = ~(uint64_t)0;
  return gasan_first_fault(scale, address, last) != 0;
}

extern "C" {

#define GASAN_CHECK_RANGE(granule, scale)                                                                              \
  GASAN_COLD void __gasan_report_##granule(uint64_t address, uint64_t size, uint32_t site);                            \
  GASAN_COLD_RETURNS void __gasan_report_noabort_##granule(uint64_t address, uint64_t size, uint32_t site);            \
                                                                                                                       \
  /* Call before an access to `size` bytes (0: none). Does not return if one of them is inaccessible. */               \
  GASAN_NOINLINE void __gasan_check_range_##granule(uint64_t address, uint64_t size, uint32_t site) {                  \
    if (gasan_range_faults(scale, address, size))                                                                      \
      __gasan_report_##granule(address, size, site);                                                                   \
  }                                                                                                                    \
                                                                                                                       \
  /* The same, but always returns. */                                                                                  \
  GASAN_NOINLINE void __gasan_check_range_noabort_##granule(uint64_t address, uint64_t size, uint32_t site) {          \
    if (gasan_range_faults(scale, address, size))                                                                      \
      __gasan_report_noabort_##granule(address, size, site);                                                           \
  }

/* Returns the number of bytes that printf reads from a string: up to its terminator, at most `most`, or up to the first
 * inaccessible byte. */
#define GASAN_STRING_SIZE(granule, scale)                                                                              \
  GASAN_NOINLINE uint64_t __gasan_shadow_string_size_##granule(uint64_t address, uint64_t most) {                      \
    uint64_t read = 0;                                                                                                 \
    while (read < most && gasan_has_shadow(address + read)) {                                                          \
      const char *next = (const char *)(address + read++);                                                             \
      if (gasan_first_fault(scale, (uint64_t)next, (uint64_t)next) || !*next)                                          \
        break;                                                                                                         \
    }                                                                                                                  \
    return read;                                                                                                       \
  }

GASAN_STRING_SIZE(8, GASAN_SCALE_8)
GASAN_STRING_SIZE(128, GASAN_SCALE_128)
GASAN_STRING_SIZE(256, GASAN_SCALE_256)

GASAN_CHECK_RANGE(8, GASAN_SCALE_8)
GASAN_CHECK_RANGE(128, GASAN_SCALE_128)
GASAN_CHECK_RANGE(256, GASAN_SCALE_256)
}
