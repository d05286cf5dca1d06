/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds where an address lies relative to an object. */
#include "gasan_rt/report/report.h"
#include "shadow/tags.h"

/* Returns true if the address has the tag of another object. If the difference of two tagged pointers is added to the
 * first, the result has the address and the tag of the second. Distances do not include tags. */
static bool has_others_tag(uint64_t base, uint64_t address) {
  return gasan_rt_tags() && gasan_tag_of(base) && gasan_tag_of(base) != gasan_tag_of(address) &&
         gasan_rt_owner((const void *)(uintptr_t)address);
}

const char *gasan_report_relation(uint64_t base, uint64_t size, uint64_t address, uint64_t *distance) {
  if (has_others_tag(base, address))
    address = gasan_tag_put(address, gasan_tag_of(base));
  if (address < base) {
    *distance = base - address;
    return "before";
  }
  if (address - base >= size) {
    *distance = address - base - size;
    return "after";
  }
  *distance = address - base;
  return "inside of";
}
