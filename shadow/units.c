/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/units.h"

#include "base/check.h"
#include "shadow/mirror.h"

static uint64_t unit_base(const struct gasan_units *units, uint32_t unit) {
  return units->base + unit * units->unit_size;
}

static struct gasan_status unmap_unit(struct gasan_units *units, uint32_t unit) {
  struct gasan_device *device = units->device;
  struct gasan_status status = device->kind->unmap(device, unit_base(units, unit), units->unit_size);
  if (gasan_ok(status))
    units->states[unit] = GASAN_UNIT_NONE;
  return status;
}

static struct gasan_status map_poison(struct gasan_units *units, uint32_t unit) {
  struct gasan_device *device = units->device;
  struct gasan_status status =
      device->kind->map_filled(device, unit_base(units, unit), units->unit_size, units->poison);
  if (gasan_ok(status))
    units->states[unit] = GASAN_UNIT_POISON;
  return status;
}

static struct gasan_status map_memory(struct gasan_units *units, uint32_t unit) {
  struct gasan_device *device = units->device;
  struct gasan_status status =
      device->kind->memory_map(device, unit_base(units, unit), units->unit_size, units->memory[unit]);
  if (gasan_ok(status))
    units->states[unit] = GASAN_UNIT_RAW;
  return status;
}

static bool is_mapped(const struct gasan_units *units, uint32_t unit) {
  return units->states[unit] == GASAN_UNIT_RAW || units->states[unit] == GASAN_UNIT_READY;
}

struct gasan_status gasan_units_create(struct gasan_units *units, struct gasan_device *device, uint64_t size,
                                       uint8_t poison) {
  uint64_t page = device->kind->page_size(device);
  GASAN_CHECK(page >= GASAN_MIRROR_PAGE && size <= UINT64_MAX / 2);
  if (size < page)
    size = page;
  uint64_t unit_size = size / GASAN_UNITS_MAX;
  if (unit_size < page)
    unit_size = page;
  *units = (struct gasan_units){.device = device, .unit_size = unit_size, .poison = poison, .idle = GASAN_UNITS_NONE};
  struct gasan_status status = device->kind->reserve(device, size, page, &units->base);
  if (!gasan_ok(status))
    return status;
  units->count = (uint32_t)(size / unit_size);
  for (uint32_t unit = 0; unit < units->count; unit++)
    units->states[unit] = GASAN_UNIT_NONE;
  for (uint32_t unit = 0; unit < units->count; unit++) {
    status = map_poison(units, unit);
    if (!gasan_ok(status)) {
      gasan_units_destroy(units);
      return status;
    }
  }
  return status;
}

/* Memory that the device refuses to take back is leaked. */
void gasan_units_destroy(struct gasan_units *units) {
  struct gasan_device *device = units->device;
  for (uint32_t unit = 0; unit < units->count; unit++) {
    if (units->states[unit] != GASAN_UNIT_NONE)
      unmap_unit(units, unit);
    if (units->memory[unit] && !is_mapped(units, unit))
      device->kind->memory_release(device, units->unit_size, units->memory[unit]);
  }
  for (uint32_t spare = 0; spare < units->spare_count; spare++)
    device->kind->memory_release(device, units->unit_size, units->spares[spare]);
  device->kind->release(device, units->base, gasan_units_size(units));
  units->count = units->spare_count = 0;
}

uint64_t gasan_units_size(const struct gasan_units *units) {
  return units->count * units->unit_size;
}

static void release_spares(struct gasan_units *units, uint32_t keep) {
  struct gasan_device *device = units->device;
  while (units->spare_count > keep &&
         gasan_ok(device->kind->memory_release(device, units->unit_size, units->spares[units->spare_count - 1])))
    units->spare_count--;
}

void gasan_units_release_spares(struct gasan_units *units) {
  release_spares(units, 0);
}

/* spares[] always has room: memory is created only when there is no spare, so there is never more memory than units. */
static void spare_memory(struct gasan_units *units, uint32_t unit) {
  units->spares[units->spare_count++] = units->memory[unit];
  units->memory[unit] = 0;
  release_spares(units, GASAN_UNITS_SPARES);
}

static struct gasan_status take_memory(struct gasan_units *units, uint32_t unit) {
  struct gasan_device *device = units->device;
  if (units->spare_count) {
    units->memory[unit] = units->spares[--units->spare_count];
    return gasan_status_make(GASAN_OK);
  }
  uint64_t memory;
  struct gasan_status status = device->kind->memory_create(device, units->unit_size, &memory);
  if (gasan_ok(status))
    units->memory[unit] = memory;
  return status;
}

struct gasan_status gasan_units_join(struct gasan_units *units, uint32_t unit) {
  if (!units->memory[unit]) {
    struct gasan_status status = take_memory(units, unit);
    if (!gasan_ok(status))
      return status;
  }
  units->users[unit]++;
  if (units->idle == unit)
    units->idle = GASAN_UNITS_NONE;
  return gasan_status_make(GASAN_OK);
}

bool gasan_units_leave(struct gasan_units *units, uint32_t unit) {
  GASAN_CHECK(units->users[unit] > 0);
  if (--units->users[unit] > 0)
    return false;
  if (is_mapped(units, unit)) {
    units->idle = unit;
    return false;
  }
  spare_memory(units, unit);
  return true;
}

static struct gasan_status map_own_memory(struct gasan_units *units, uint32_t unit) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (units->states[unit] == GASAN_UNIT_POISON)
    status = unmap_unit(units, unit);
  if (gasan_ok(status))
    status = map_memory(units, unit);
  /* Map poison, so that a wild access does not fault until the next call. If this fails, too, nothing can be done. */
  if (!gasan_ok(status) && units->states[unit] == GASAN_UNIT_NONE)
    map_poison(units, unit);
  return status;
}

struct gasan_status gasan_units_settle(struct gasan_units *units, uint32_t unit, enum gasan_unit_change *change) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  *change = GASAN_UNIT_SAME;
  if (units->users[unit] && !is_mapped(units, unit)) {
    status = map_own_memory(units, unit);
    if (gasan_ok(status))
      *change = GASAN_UNIT_TAKEN;
  } else if (!units->users[unit] && is_mapped(units, unit) && units->idle != unit &&
             gasan_ok(unmap_unit(units, unit))) {
    spare_memory(units, unit);
    *change = GASAN_UNIT_GIVEN_BACK;
  }
  if (!units->users[unit] && units->states[unit] == GASAN_UNIT_NONE)
    status = map_poison(units, unit);
  return status;
}

void gasan_units_written(struct gasan_units *units, uint32_t unit) {
  GASAN_CHECK(is_mapped(units, unit));
  units->states[unit] = GASAN_UNIT_READY;
}

uint64_t gasan_units_memory(const struct gasan_units *units) {
  uint64_t blocks = units->spare_count;
  for (uint32_t unit = 0; unit < units->count; unit++)
    blocks += units->memory[unit] != 0;
  return blocks * units->unit_size;
}
