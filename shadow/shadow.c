/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/shadow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "shadow/mirror.h"
#include "shadow/units.h"

struct gasan_shadow {
  struct gasan_device *device;
  uint64_t window_base, window_size;
  uint64_t mask;
  uint32_t scale;
  struct gasan_units units;
  struct gasan_mirror mirror;
  uint8_t *staging; /* page-locked: uploads are assembled here, because copies from here take half the time */
  uint64_t staging_size;
  pthread_mutex_t lock;
  atomic_bool dirty; /* the device does not have all changes; written under the lock */
};

#define GREATEST_STAGING (2u << 20)

/* Shadow bytes [offset, offset + count), which do not wrap around. */
struct piece {
  uint64_t offset, count;
};

static uint64_t block_size(const struct gasan_shadow *shadow) {
  return 1ull << shadow->scale;
}

static uint64_t block_count(const struct gasan_shadow *shadow, uint64_t size) {
  return (size >> shadow->scale) + ((size & (block_size(shadow) - 1)) != 0);
}

static struct gasan_status create_parts(struct gasan_shadow *shadow) {
  uint8_t poison = gasan_shadow_poison_value(shadow->scale);
  struct gasan_status status = gasan_units_create(&shadow->units, shadow->device, shadow->mask + 1, poison);
  if (!gasan_ok(status))
    return status;
  status = gasan_mirror_create(&shadow->mirror, gasan_units_size(&shadow->units), poison);
  if (gasan_ok(status)) {
    uint64_t unused;
    shadow->staging_size = shadow->units.unit_size < GREATEST_STAGING ? shadow->units.unit_size : GREATEST_STAGING;
    status = shadow->device->kind->host_alloc(shadow->device, shadow->staging_size, (void **)&shadow->staging, &unused);
    if (gasan_ok(status))
      return status;
    gasan_mirror_destroy(&shadow->mirror);
  }
  gasan_units_destroy(&shadow->units);
  return status;
}

struct gasan_status gasan_shadow_create(struct gasan_device *device, uint64_t base, uint64_t size, uint32_t scale,
                                        struct gasan_shadow **shadow) {
  if (scale != GASAN_SCALE_8 && scale != GASAN_SCALE_128 && scale != GASAN_SCALE_256)
    return gasan_status_make(GASAN_ERR_INVALID);
  uint64_t block = 1ull << scale;
  if (size < block || (size & (size - 1)) || base % block || base > UINT64_MAX - (size - 1))
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_shadow *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  created->window_base = base;
  created->window_size = size;
  created->scale = scale;
  created->mask = (size >> scale) - 1; /* size is a power of two, so NextPow2 changes nothing */
  struct gasan_status status = create_parts(created);
  if (!gasan_ok(status)) {
    free(created);
    return status;
  }
  atomic_init(&created->dirty, false);
  GASAN_CHECK(pthread_mutex_init(&created->lock, NULL) == 0);
  *shadow = created;
  return status;
}

void gasan_shadow_destroy(struct gasan_shadow *shadow) {
  if (!shadow)
    return;
  gasan_mirror_destroy(&shadow->mirror);
  gasan_units_destroy(&shadow->units);
  pthread_mutex_destroy(&shadow->lock);
  free(shadow);
}

uint64_t gasan_shadow_base(const struct gasan_shadow *shadow) {
  return shadow->units.base;
}

uint64_t gasan_shadow_mask(const struct gasan_shadow *shadow) {
  return shadow->mask;
}

uint32_t gasan_shadow_scale(const struct gasan_shadow *shadow) {
  return shadow->scale;
}

/* const does not cover the lock. */
static void lock(const struct gasan_shadow *shadow) {
  pthread_mutex_lock((pthread_mutex_t *)&shadow->lock);
}

static void unlock(const struct gasan_shadow *shadow) {
  pthread_mutex_unlock((pthread_mutex_t *)&shadow->lock);
}

/* Splits the image of a part of the window in two pieces; the second is empty unless the image wraps (gasan 3.2.2). */
static void split_image(const struct gasan_shadow *shadow, uint64_t address, uint64_t count, struct piece pieces[2]) {
  uint64_t first = gasan_shadow_offset(shadow->scale, shadow->mask, address);
  uint64_t until_wrap = shadow->mask + 1 - first;
  uint64_t before = count < until_wrap ? count : until_wrap;
  pieces[0] = (struct piece){first, before};
  pieces[1] = (struct piece){0, count - before};
}

static void check_range(const struct gasan_shadow *shadow, uint64_t address, uint64_t size) {
  GASAN_CHECK(address % block_size(shadow) == 0);
  GASAN_CHECK(address >= shadow->window_base && address - shadow->window_base < shadow->window_size);
  GASAN_CHECK(size <= shadow->window_size - (address - shadow->window_base));
}

static void forget_bytes(struct gasan_shadow *shadow, uint32_t unit) {
  gasan_mirror_reset(&shadow->mirror, unit * shadow->units.unit_size, shadow->units.unit_size);
}

/* The units of a piece are [first, end); an empty piece has none. */
static uint32_t first_unit(const struct gasan_shadow *shadow, struct piece piece) {
  return (uint32_t)(piece.offset / shadow->units.unit_size);
}

static uint32_t end_unit(const struct gasan_shadow *shadow, struct piece piece) {
  return piece.count ? (uint32_t)((piece.offset + piece.count - 1) / shadow->units.unit_size) + 1
                     : first_unit(shadow, piece);
}

/* Leaves the piece's units before `end`. Mapped units wait for the next flush, so they make the shadow dirty. */
static void leave_units(struct gasan_shadow *shadow, struct piece piece, uint32_t end) {
  for (uint32_t unit = first_unit(shadow, piece); unit < end; unit++)
    if (gasan_units_leave(&shadow->units, unit))
      forget_bytes(shadow, unit);
    else if (!shadow->units.users[unit])
      atomic_store_explicit(&shadow->dirty, true, memory_order_release);
}

/* Joins the piece's units. A failure leaves all numbers of users as they were. */
static struct gasan_status join_units(struct gasan_shadow *shadow, struct piece piece) {
  struct gasan_status status = gasan_status_make(GASAN_OK);
  uint32_t end = end_unit(shadow, piece);
  for (uint32_t unit = first_unit(shadow, piece); unit < end && gasan_ok(status); unit++) {
    status = gasan_units_join(&shadow->units, unit);
    if (!gasan_ok(status))
      leave_units(shadow, piece, unit);
  }
  return status;
}

static void set_blocks(struct gasan_shadow *shadow, uint64_t address, uint64_t count, uint8_t value) {
  struct piece pieces[2];
  split_image(shadow, address, count, pieces);
  gasan_mirror_set(&shadow->mirror, pieces[0].offset, pieces[0].count, value);
  gasan_mirror_set(&shadow->mirror, pieces[1].offset, pieces[1].count, value);
  atomic_store_explicit(&shadow->dirty, true, memory_order_release);
}

static struct gasan_status unpoison_locked(struct gasan_shadow *shadow, uint64_t address, uint64_t size) {
  struct piece pieces[2];
  split_image(shadow, address, block_count(shadow, size), pieces);
  struct gasan_status status = join_units(shadow, pieces[0]);
  if (gasan_ok(status)) {
    status = join_units(shadow, pieces[1]);
    if (!gasan_ok(status))
      leave_units(shadow, pieces[0], end_unit(shadow, pieces[0]));
  }
  if (!gasan_ok(status))
    return status;
  uint64_t full = size >> shadow->scale;
  uint32_t rest = (uint32_t)(size & (block_size(shadow) - 1));
  set_blocks(shadow, address, full, gasan_shadow_encode(shadow->scale, (uint32_t)block_size(shadow)));
  if (rest)
    set_blocks(shadow, address + (full << shadow->scale), 1, gasan_shadow_encode(shadow->scale, rest));
  return status;
}

struct gasan_status gasan_shadow_unpoison(struct gasan_shadow *shadow, uint64_t address, uint64_t size) {
  if (size == 0)
    return gasan_status_make(GASAN_OK);
  check_range(shadow, address, size);
  GASAN_CHECK(shadow->scale != GASAN_SCALE_256 || size % 256 != 1);
  lock(shadow);
  struct gasan_status status = unpoison_locked(shadow, address, size);
  unlock(shadow);
  return status;
}

/* A unit without its own memory is already poisoned, on host and device. */
static void poison_piece(struct gasan_shadow *shadow, struct piece piece) {
  uint64_t unit_size = shadow->units.unit_size;
  while (piece.count) {
    uint64_t until_unit_end = unit_size - piece.offset % unit_size;
    uint64_t count = piece.count < until_unit_end ? piece.count : until_unit_end;
    if (shadow->units.memory[piece.offset / unit_size]) {
      gasan_mirror_set(&shadow->mirror, piece.offset, count, shadow->mirror.poison);
      atomic_store_explicit(&shadow->dirty, true, memory_order_release);
    }
    piece.offset += count;
    piece.count -= count;
  }
}

void gasan_shadow_poison(struct gasan_shadow *shadow, uint64_t address, uint64_t size) {
  if (size == 0)
    return;
  check_range(shadow, address, size);
  struct piece pieces[2];
  split_image(shadow, address, block_count(shadow, size), pieces);
  lock(shadow);
  poison_piece(shadow, pieces[0]);
  poison_piece(shadow, pieces[1]);
  unlock(shadow);
}

void gasan_shadow_limit(struct gasan_shadow *shadow, uint64_t address, uint64_t size, uint32_t accessible) {
  if (size == 0)
    return;
  check_range(shadow, address, size);
  GASAN_CHECK(shadow->scale != GASAN_SCALE_256 || accessible != 1);
  lock(shadow);
  set_blocks(shadow, address, block_count(shadow, size), gasan_shadow_encode(shadow->scale, accessible));
  unlock(shadow);
}

void gasan_shadow_leave(struct gasan_shadow *shadow, uint64_t address, uint64_t size) {
  if (size == 0)
    return;
  check_range(shadow, address, size);
  struct piece pieces[2];
  split_image(shadow, address, block_count(shadow, size), pieces);
  lock(shadow);
  for (int i = 0; i < 2; i++)
    leave_units(shadow, pieces[i], end_unit(shadow, pieces[i]));
  unlock(shadow);
}

/* Maps memory for units that came into use, and unmaps units that went out of use. */
static struct gasan_status settle_units(struct gasan_shadow *shadow) {
  struct gasan_units *units = &shadow->units;
  struct gasan_status result = gasan_status_make(GASAN_OK);
  for (uint32_t unit = 0; unit < units->count; unit++) {
    enum gasan_unit_change change;
    struct gasan_status status = gasan_units_settle(units, unit, &change);
    if (change == GASAN_UNIT_GIVEN_BACK)
      forget_bytes(shadow, unit);
    if (units->states[unit] == GASAN_UNIT_RAW)
      gasan_dirty_soil(&shadow->mirror.dirty, unit * units->unit_size, units->unit_size);
    if (!gasan_ok(status))
      result = status;
  }
  return result;
}

uint64_t gasan_shadow_trim(struct gasan_shadow *shadow) {
  lock(shadow);
  struct gasan_units *units = &shadow->units;
  uint64_t before = gasan_units_memory(units);
  units->idle = GASAN_UNITS_NONE;
  for (uint32_t unit = 0; unit < units->count; unit++) {
    enum gasan_unit_change change = GASAN_UNIT_SAME;
    if (!units->users[unit] && !gasan_ok(gasan_units_settle(units, unit, &change)))
      atomic_store_explicit(&shadow->dirty, true, memory_order_release);
    if (change == GASAN_UNIT_GIVEN_BACK)
      forget_bytes(shadow, unit);
  }
  gasan_units_release_spares(units);
  uint64_t after = gasan_units_memory(units);
  unlock(shadow);
  return before - after;
}

static struct gasan_status upload_run(struct gasan_shadow *shadow, struct gasan_dirty_run run) {
  struct gasan_device *device = shadow->device;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  while (run.size && gasan_ok(status)) {
    struct gasan_dirty_run piece = {run.offset, run.size < shadow->staging_size ? run.size : shadow->staging_size};
    gasan_mirror_copy(&shadow->mirror, piece, shadow->staging);
    status = device->kind->write(device, shadow->units.base + piece.offset, shadow->staging, piece.size);
    run.offset += piece.size;
    run.size -= piece.size;
  }
  return status;
}

/* Uploads unit by unit, because a merged run must not extend into a unit that cannot be written. */
static struct gasan_status upload_units(struct gasan_shadow *shadow) {
  struct gasan_units *units = &shadow->units;
  struct gasan_mirror *mirror = &shadow->mirror;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  for (uint32_t unit = 0; unit < units->count; unit++) {
    uint64_t start = unit * units->unit_size;
    struct gasan_dirty_run run;
    if (units->states[unit] != GASAN_UNIT_RAW && units->states[unit] != GASAN_UNIT_READY)
      continue;
    while (gasan_dirty_next(&mirror->dirty, start, start + units->unit_size, &run)) {
      status = upload_run(shadow, run);
      if (!gasan_ok(status))
        return status;
      gasan_dirty_clean(&mirror->dirty, run);
    }
    gasan_units_written(units, unit);
  }
  return status;
}

struct gasan_status gasan_shadow_flush(struct gasan_shadow *shadow) {
  if (!atomic_load_explicit(&shadow->dirty, memory_order_acquire))
    return gasan_status_make(GASAN_OK);
  lock(shadow);
  struct gasan_status settled = settle_units(shadow);
  struct gasan_status status = upload_units(shadow);
  if (gasan_ok(status))
    status = settled;
  /* Last, because a thread that reads false launches at once. */
  if (gasan_ok(status))
    atomic_store_explicit(&shadow->dirty, false, memory_order_release);
  unlock(shadow);
  return status;
}

uint8_t gasan_shadow_get(const struct gasan_shadow *shadow, uint64_t address) {
  if (address < shadow->window_base || address - shadow->window_base >= shadow->window_size)
    return gasan_shadow_poison_value(shadow->scale);
  lock(shadow);
  uint8_t value = gasan_mirror_get(&shadow->mirror, gasan_shadow_offset(shadow->scale, shadow->mask, address));
  unlock(shadow);
  return value;
}

uint64_t gasan_shadow_memory(const struct gasan_shadow *shadow) {
  lock(shadow);
  uint64_t memory = gasan_units_memory(&shadow->units);
  unlock(shadow);
  return memory;
}
