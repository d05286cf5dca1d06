/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks accesses through texture and surface objects (gasan_pass/instrument/ViewChecks.h). */
#include "gasan_rt/kernel/device_code.h"

#include "base/views.h"

GASAN_INLINE const struct gasan_view_slot *gasan_view_slots(uint64_t *mask) {
  const volatile struct gasan_view_table *table = (const volatile struct gasan_view_table *)__gasan_params.views;
  if (!table)
    return 0;
  /* Read the mask before the slots: if the host replaces the table by a larger one meanwhile, the smaller mask keeps
   * the search inside it. */
  *mask = table->mask;
  return (const struct gasan_view_slot *)table->slots;
}

extern "C" __attribute__((device, noreturn)) void __gasan_report_bounds(uint64_t address, uint64_t size, uint32_t site,
                                                                        uint64_t base, uint64_t bounds_size,
                                                                        uint32_t object);

extern "C" {

/* Returns the key's slot, or null if the table does not have the key. */
GASAN_NOINLINE const struct gasan_view_slot *__gasan_search_views(const struct gasan_view_slot *slots, uint64_t mask,
                                                                  uint64_t key) {
  for (uint64_t at = gasan_view_hash(key);; ++at) {
    const struct gasan_view_slot *slot = &slots[at & mask];
    uint64_t found = *(const volatile uint64_t *)&slot->key;
    if (found == key)
      return slot;
    if (!found)
      return 0;
  }
}

GASAN_INLINED const struct gasan_view_slot *__gasan_find_surface(uint64_t object) {
  uint64_t mask = 0, key = gasan_view_key(object, 1);
  const struct gasan_view_slot *slots = gasan_view_slots(&mask);
  return slots && key ? __gasan_search_views(slots, mask, key) : 0;
}

/* Finds a texture that was destroyed or whose memory was freed. Live textures need no check, so they are in the table
 * only if their number was once that of a dead texture. */
GASAN_INLINED const struct gasan_view_slot *__gasan_find_dead_texture(uint64_t object) {
  /* A load of the table by each thread took up to 5 times the time of kernels that do little else. */
  if (!__gasan_params.dead_textures)
    return 0;
  uint64_t mask = 0, key = gasan_view_key(object, 0);
  const struct gasan_view_slot *slots = gasan_view_slots(&mask);
  const struct gasan_view_slot *slot = slots && key ? __gasan_search_views(slots, mask, key) : 0;
  return slot && slot->state == GASAN_VIEW_DEAD ? slot : 0;
}

/* Returns the fault of an access of `size` bytes, an enum gasan_object_code; 0: none. x counts bytes, or elements if
 * size is 0; z is the slice or layer. `trap`: accesses outside the array are faults. */
GASAN_INLINED uint32_t __gasan_surface_fault(const struct gasan_view_slot *slot, uint32_t x, uint32_t y, uint32_t z,
                                             uint32_t size, uint32_t trap) {
  if (!slot)
    return 0;
  uint32_t bytes = size ? size : slot->texel, row = slot->row, state = slot->state;
  if (state == GASAN_VIEW_UNCHECKED || !bytes)
    return 0;
  uint64_t offset = (uint64_t)((long long)(int)x * (size ? 1 : (long long)bytes));
  uint64_t places = row >= bytes ? (uint64_t)(row - bytes) + 1 : 0;
  bool outside = trap & ((offset >= places) | (y >= slot->height) | (z >= slot->depth));
  uint32_t fault = size && (x & (size - 1)) ? (uint32_t)GASAN_OBJECT_VIEW_MISALIGNED : 0;
  fault = outside ? (uint32_t)GASAN_OBJECT_VIEW_OUTSIDE : fault;
  return state == GASAN_VIEW_DEAD ? (uint32_t)GASAN_OBJECT_VIEW_DEAD : fault;
}

GASAN_COLD void __gasan_report_view(uint64_t object, const struct gasan_view_slot *slot, uint32_t x, uint32_t y,
                                    uint32_t z, uint32_t size, uint32_t site, uint32_t fault) {
  uint32_t bytes = size ? size : slot->texel;
  __gasan_report_bounds(object, bytes, site, (uint64_t)y << 32 | (size ? x : x * bytes),
                        (uint64_t)slot->number << 32 | z, fault);
}
}
