/* The shadow's device memory: one reserved range cut in equal units, each mapped as poison or with memory of its own
 * (private to shadow/). No lock inside: the shadow's lock protects it. */
#ifndef GASAN_SHADOW_UNITS_H
#define GASAN_SHADOW_UNITS_H

#include "device/device.h"

/* map_filled is called once a unit at creation, so this bounds the start-up time; a unit is also the least memory that the
 * shadow takes, and that of the block behind map_filled, so fewer would cost memory. On an H200 a unit is one page of 2 MiB. */
#define GASAN_UNITS_MAX 2048u
#define GASAN_UNITS_NONE UINT32_MAX

enum gasan_unit_state {
  GASAN_UNIT_POISON, /* map_filled: readable, shares its memory with all such units */
  GASAN_UNIT_NONE,   /* nothing mapped: only after the device failed half-way */
  GASAN_UNIT_RAW,    /* memory of its own, contents undefined: only after the device failed half-way */
  GASAN_UNIT_READY,  /* memory of its own, may be written */
};

struct gasan_units {
  struct gasan_device *device;
  uint64_t base, unit_size;
  uint32_t count;
  uint8_t poison;
  uint32_t idle; /* READY without users, kept for the next one; GASAN_UNITS_NONE: there is no such unit */
  uint32_t users[GASAN_UNITS_MAX];
  enum gasan_unit_state states[GASAN_UNITS_MAX];
};

/* For a shadow of `size` bytes, a power of two; takes at least a page of the device. The status is the device's. */
struct gasan_status gasan_units_create(struct gasan_units *units, struct gasan_device *device, uint64_t size,
                                       uint8_t poison);
void gasan_units_destroy(struct gasan_units *units);
uint64_t gasan_units_size(const struct gasan_units *units);

/* One user more: makes the unit READY, poisoned throughout if it was not. On failure it is readable poison again, if the
 * device lets us, and has no user more. */
struct gasan_status gasan_units_join(struct gasan_units *units, uint32_t unit);
/* One user less. One unit without users stays READY for the next; returns the one that is not needed for that any more,
 * which is the caller's to give back, or GASAN_UNITS_NONE. */
uint32_t gasan_units_leave(struct gasan_units *units, uint32_t unit);
/* The idle unit, which is not kept any more, or GASAN_UNITS_NONE. */
uint32_t gasan_units_take_idle(struct gasan_units *units);
/* A unit without users becomes readable poison, or unsettled. False: the device did not take its memory; nothing changed. */
bool gasan_units_give_back(struct gasan_units *units, uint32_t unit);

/* Are there units that the device's failure left NONE or RAW? settle makes them readable poison. */
bool gasan_units_unsettled(const struct gasan_units *units);
struct gasan_status gasan_units_settle(struct gasan_units *units);

uint64_t gasan_units_memory(const struct gasan_units *units);

#endif
