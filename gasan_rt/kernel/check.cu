/* The outlined check: accesses that may cross a shadow block or whose size is known only at run time. */
#include "gasan_rt/kernel/device.h"

extern "C" {

#define GASAN_CHECK_RANGE(granule, scale)                                                                              \
  GASAN_COLD void __gasan_report_##granule(uint64_t address, uint64_t size, uint32_t site);                            \
                                                                                                                       \
  /* `size` bytes from `address` are about to be touched; 0: none. Does not return if one of them may not be. */       \
  GASAN_NOINLINE void __gasan_check_range_##granule(uint64_t address, uint64_t size, uint32_t site) {                  \
    if (size == 0)                                                                                                     \
      return;                                                                                                          \
    uint64_t last = address + (size - 1);                                                                              \
    if (last < address)                                                                                                \
      last = ~(uint64_t)0;                                                                                             \
    if (gasan_first_fault(scale, address, last) != 0)                                                                  \
      __gasan_report_##granule(address, size, site);                                                                   \
  }

GASAN_CHECK_RANGE(8, GASAN_SCALE_8)
GASAN_CHECK_RANGE(128, GASAN_SCALE_128)
GASAN_CHECK_RANGE(256, GASAN_SCALE_256)

}
