/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/view_table.h"

#include <stdlib.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/registry.h"

#define FIRST_SLOTS 64u

struct gasan_view_mirror {
  struct gasan_view_slot *slots; /* mask + 1 of them; NULL: none yet */
  uint64_t mask, used;
  uint64_t address; /* of the device's slots */
};

void gasan_view_table_open(struct gasan_rt_device *state) {
  if (state->params.views)
    return;
  uint64_t address = 0;
  struct gasan_view_mirror *mirror = calloc(1, sizeof *mirror);
  struct gasan_status status = gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  if (mirror)
    status = state->device->kind->device_alloc(state->device, sizeof(struct gasan_view_table), &address);
  if (!gasan_ok(status)) {
    free(mirror);
    gasan_rt_warn("device %d: texture and surface objects are not checked (%s, driver error %d)",
                  state->device->ordinal, gasan_status_text(status), status.driver_error);
    return;
  }
  atomic_store(&state->launches->views, mirror);
  state->params.views = address;
}

/* Returns the slot of the key, or the empty slot for it. */
static struct gasan_view_slot *find_slot(struct gasan_view_slot *slots, uint64_t mask, uint64_t key) {
  uint64_t at = gasan_view_hash(key);
  while (slots[at & mask].key && slots[at & mask].key != key)
    at++;
  return &slots[at & mask];
}

bool gasan_view_table_find(const struct gasan_rt_device *state, uint64_t key, struct gasan_view_slot *slot) {
  struct gasan_view_mirror *mirror = atomic_load(&state->launches->views);
  if (!mirror || !mirror->slots)
    return false;
  const struct gasan_view_slot *found = find_slot(mirror->slots, mirror->mask, key);
  *slot = *found;
  return found->key != 0;
}

/* Makes a larger table. Neither changes nor frees the old table, which running kernels may search. */
static bool grow_table(struct gasan_rt_device *state, struct gasan_view_mirror *mirror) {
  const struct gasan_device_kind *kind = state->device->kind;
  const uint64_t count = mirror->slots ? 2 * (mirror->mask + 1) : FIRST_SLOTS;
  struct gasan_view_mirror larger = {
      .slots = calloc(count, sizeof *larger.slots), .mask = count - 1, .used = mirror->used};
  if (!larger.slots)
    return false;
  for (uint64_t i = 0; mirror->slots && i <= mirror->mask; i++)
    if (mirror->slots[i].key)
      *find_slot(larger.slots, larger.mask, mirror->slots[i].key) = mirror->slots[i];
  struct gasan_status status = kind->device_alloc(state->device, count * sizeof *larger.slots, &larger.address);
  if (gasan_ok(status))
    status = kind->write(state->device, larger.address, larger.slots, count * sizeof *larger.slots);
  const struct gasan_view_table table = {larger.address, larger.mask};
  if (gasan_ok(status))
    status = kind->write(state->device, state->params.views, &table, sizeof table);
  if (!gasan_ok(status)) {
    free(larger.slots);
    return false;
  }
  free(mirror->slots);
  *mirror = larger;
  return true;
}

bool gasan_view_table_write(struct gasan_rt_device *state, const struct gasan_view_slot *slot) {
  struct gasan_view_mirror *mirror = atomic_load(&state->launches->views);
  if (!mirror || ((!mirror->slots || 2 * mirror->used > mirror->mask) && !grow_table(state, mirror)))
    return false;
  struct gasan_view_slot *place = find_slot(mirror->slots, mirror->mask, slot->key);
  const uint64_t address = mirror->address + (uint64_t)(place - mirror->slots) * sizeof *place;
  if (!gasan_ok(state->device->kind->write(state->device, address, slot, sizeof *slot)))
    return false;
  mirror->used += place->key == 0;
  *place = *slot;
  if (slot->state == GASAN_VIEW_DEAD && !(slot->key & GASAN_VIEW_SURFACE_BIT))
    gasan_registry_note_dead_texture(state);
  return true;
}
