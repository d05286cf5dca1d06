/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Accesses of code compiled for handles (-fsanitize-gpu-address-pool=handles). All pointers of the program are handles,
 * whatever their source, and each access translates its own. The object's size is known here, so no redzones are
 * needed: every byte outside the object is a fault. */
#include "gasan_rt/kernel/device_code.h"

GASAN_INLINE uint64_t gasan_translate(const volatile struct gasan_handle_entry *entry, uint64_t address) {
  return entry ? entry->address + gasan_handle_offset(64 - __gasan_params.handle_shift, address) : address;
}

extern "C" {

/* Returns the address of the program's pointer. Checks nothing. */
GASAN_NOINLINE uint64_t __gasan_translate(uint64_t address) {
  return gasan_translate(gasan_find_handle(address), address);
}

#define GASAN_ACCESS(granule, scale)                                                                                   \
  GASAN_COLD void __gasan_report_##granule(uint64_t address, uint64_t size, uint32_t site);                            \
  GASAN_NOINLINE void __gasan_check_range_##granule(uint64_t address, uint64_t size, uint32_t site);                   \
                                                                                                                       \
  /* The same, before an access to `size` bytes (0: none). Does not return if one is outside the object. */            \
  GASAN_NOINLINE uint64_t __gasan_access_##granule(uint64_t address, uint64_t size, uint32_t site) {                   \
    const volatile struct gasan_handle_entry *entry = gasan_find_handle(address);                                      \
    if (!entry) {                                                                                                      \
      __gasan_check_range_##granule(address, size, site);                                                              \
      return address;                                                                                                  \
    }                                                                                                                  \
    uint64_t offset = gasan_handle_offset(64 - __gasan_params.handle_shift, address);                                  \
    uint64_t known = entry->size;                                                                                      \
    if (size != 0 && (offset > known || size > known - offset))                                                        \
      __gasan_report_##granule(address, size, site);                                                                   \
    return entry->address + offset;                                                                                    \
  }

GASAN_ACCESS(8, GASAN_SCALE_8)
GASAN_ACCESS(128, GASAN_SCALE_128)
GASAN_ACCESS(256, GASAN_SCALE_256)
}
