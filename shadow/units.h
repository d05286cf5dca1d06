/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow's device memory: one reserved range cut in equal units, each mapped as poison or with memory of its own
 * (private to shadow/). No lock inside: the shadow's lock protects it.
 *
 * Memory is taken when a unit gets its first user, because who allocates must hear that there is none; but the unit is
 * only mapped, and written, when the device is to see it (settle). So a chunk that no kernel ever saw costs no mapping.
 */
#ifndef GASAN_SHADOW_UNITS_H
#define GASAN_SHADOW_UNITS_H

#include "device/device.h"

/* map_filled is called once a unit at creation, so this bounds the start-up time; a unit is also the least memory that
 * the shadow takes, and that of the block behind map_filled, so fewer would cost memory. On an H200 a unit is one page
 * of 2 MiB. */
#define GASAN_UNITS_MAX 2048u
#define GASAN_UNITS_NONE UINT32_MAX
/* Memory of units that are not in use any more, kept for the next ones: as many units as a chunk of 1 GiB with its
 * redzones has on an H200, and some. */
#define GASAN_UNITS_SPARES 8u

enum gasan_unit_state {
  GASAN_UNIT_POISON, /* map_filled: readable, shares its memory with all such units */
  GASAN_UNIT_NONE,   /* nothing mapped: only after the device failed half-way */
  GASAN_UNIT_RAW,    /* its own memory is mapped, contents undefined: to be written as a whole */
  GASAN_UNIT_READY,  /* its own memory is mapped and was written */
};

struct gasan_units {
  struct gasan_device *device;
  uint64_t base, unit_size;
  uint32_t count;
  uint8_t poison;
  uint32_t idle; /* the unit that lost its last user last: stays mapped for the next; GASAN_UNITS_NONE: there is none */
  uint32_t spare_count;
  uint32_t users[GASAN_UNITS_MAX];
  enum gasan_unit_state states[GASAN_UNITS_MAX];
  uint64_t memory[GASAN_UNITS_MAX]; /* its own, mapped or not; 0: none. Who has users has memory */
  uint64_t spares[GASAN_UNITS_MAX]; /* more than GASAN_UNITS_SPARES only if the device did not take them back */
};

/* For a shadow of `size` bytes, a power of two; takes at least a page of the device. The status is the device's. */
struct gasan_status gasan_units_create(struct gasan_units *units, struct gasan_device *device, uint64_t size,
                                       uint8_t poison);
void gasan_units_destroy(struct gasan_units *units);
uint64_t gasan_units_size(const struct gasan_units *units);

/* One user more: the unit has memory. On failure it has no user more. */
struct gasan_status gasan_units_join(struct gasan_units *units, uint32_t unit);
/* One user less. True: the unit was never mapped, and has no memory any more; what its bytes were is to be forgotten.
 */
bool gasan_units_leave(struct gasan_units *units, uint32_t unit);

enum gasan_unit_change {
  GASAN_UNIT_SAME,
  GASAN_UNIT_TAKEN,      /* RAW now */
  GASAN_UNIT_GIVEN_BACK, /* its memory is a spare now; what its bytes were is to be forgotten */
};
/* Maps the unit's memory if it has users; takes it away if it has none and is not idle. On failure the device does not
 * show what it should: poison in place of the unit's memory, or nothing at all; the next call tries again. That the
 * device does not take memory back is no failure. */
struct gasan_status gasan_units_settle(struct gasan_units *units, uint32_t unit, enum gasan_unit_change *change);
/* A RAW unit was written as a whole. */
void gasan_units_written(struct gasan_units *units, uint32_t unit);

/* Gives the spares back to the device. */
void gasan_units_release_spares(struct gasan_units *units);

/* Bytes of device memory taken now; not that of the poison. */
uint64_t gasan_units_memory(const struct gasan_units *units);

#endif
