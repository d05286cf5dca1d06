#include "shadow/units.h"

#include "base/check.h"
#include "shadow/mirror.h"

static uint64_t unit_base(const struct gasan_units *units, uint32_t unit) {
  return units->base + unit * units->unit_size;
}

static struct gasan_status unmap(struct gasan_units *units, uint32_t unit) {
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
  struct gasan_status status = device->kind->map(device, unit_base(units, unit), units->unit_size);
  if (gasan_ok(status))
    units->states[unit] = GASAN_UNIT_RAW;
  return status;
}

static struct gasan_status fill(struct gasan_units *units, uint32_t unit) {
  struct gasan_device *device = units->device;
  struct gasan_status status =
      device->kind->fill(device, unit_base(units, unit), units->poison, units->unit_size);
  if (gasan_ok(status))
    units->states[unit] = GASAN_UNIT_READY;
  return status;
}

/* From NONE or RAW to readable poison. */
static struct gasan_status settle(struct gasan_units *units, uint32_t unit) {
  if (units->states[unit] == GASAN_UNIT_RAW) {
    struct gasan_status status = unmap(units, unit);
    if (!gasan_ok(status))
      return status;
  }
  return map_poison(units, unit);
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

void gasan_units_destroy(struct gasan_units *units) {
  for (uint32_t unit = 0; unit < units->count; unit++)
    if (units->states[unit] != GASAN_UNIT_NONE)
      unmap(units, unit);
  units->device->kind->release(units->device, units->base, gasan_units_size(units));
  units->count = 0;
}

uint64_t gasan_units_size(const struct gasan_units *units) {
  return units->count * units->unit_size;
}

static struct gasan_status commit(struct gasan_units *units, uint32_t unit) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (units->states[unit] == GASAN_UNIT_POISON)
    status = unmap(units, unit);
  if (gasan_ok(status) && units->states[unit] == GASAN_UNIT_NONE)
    status = map_memory(units, unit);
  if (gasan_ok(status) && units->states[unit] == GASAN_UNIT_RAW)
    status = fill(units, unit);
  if (!gasan_ok(status) && units->states[unit] != GASAN_UNIT_POISON)
    settle(units, unit); /* if this fails too, the next flush tries again: gasan_units_unsettled */
  return status;
}

struct gasan_status gasan_units_join(struct gasan_units *units, uint32_t unit) {
  struct gasan_status status = commit(units, unit);
  if (!gasan_ok(status))
    return status;
  units->users[unit]++;
  if (units->idle == unit)
    units->idle = GASAN_UNITS_NONE;
  return status;
}

uint32_t gasan_units_leave(struct gasan_units *units, uint32_t unit) {
  GASAN_CHECK(units->users[unit] > 0);
  if (--units->users[unit] > 0)
    return GASAN_UNITS_NONE;
  uint32_t before = units->idle;
  units->idle = unit;
  return before;
}

uint32_t gasan_units_take_idle(struct gasan_units *units) {
  uint32_t unit = units->idle;
  units->idle = GASAN_UNITS_NONE;
  return unit;
}

bool gasan_units_give_back(struct gasan_units *units, uint32_t unit) {
  GASAN_CHECK(units->users[unit] == 0);
  if (units->states[unit] != GASAN_UNIT_READY || !gasan_ok(unmap(units, unit)))
    return false;
  map_poison(units, unit); /* if this fails, the next flush tries again: gasan_units_unsettled */
  return true;
}

bool gasan_units_unsettled(const struct gasan_units *units) {
  for (uint32_t unit = 0; unit < units->count; unit++)
    if (units->states[unit] == GASAN_UNIT_NONE || units->states[unit] == GASAN_UNIT_RAW)
      return true;
  return false;
}

struct gasan_status gasan_units_settle(struct gasan_units *units) {
  struct gasan_status result = gasan_status_make(GASAN_OK);
  for (uint32_t unit = 0; unit < units->count; unit++) {
    if (units->states[unit] != GASAN_UNIT_NONE && units->states[unit] != GASAN_UNIT_RAW)
      continue;
    struct gasan_status status = settle(units, unit);
    if (!gasan_ok(status))
      result = status;
  }
  return result;
}

uint64_t gasan_units_memory(const struct gasan_units *units) {
  uint64_t memory = 0;
  for (uint32_t unit = 0; unit < units->count; unit++)
    if (units->states[unit] == GASAN_UNIT_RAW || units->states[unit] == GASAN_UNIT_READY)
      memory += units->unit_size;
  return memory;
}
