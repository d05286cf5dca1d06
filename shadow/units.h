/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shadow's device memory (private to shadow/): one reserved range, divided into equal units. Each unit is mapped as
 * poison or with its own memory. No lock inside: the shadow's lock protects it.
 *
 * A unit gets memory when it gets its first user, because the caller that allocates must see the failure if there is
 * none. The unit is mapped and written only when the device needs it (settle). So a chunk that no kernel ever sees
 * costs no mapping. */
#ifndef GASAN_SHADOW_UNITS_H
#define GASAN_SHADOW_UNITS_H

#include "device/device.h"

/* The number of units bounds the start-up time, because creation calls map_filled once for each unit. A unit is also
 * the least memory of the shadow, and of the block behind map_filled, so fewer and larger units would cost memory. On
 * an H200 a unit is one page of 2 MiB. */
#define GASAN_UNITS_MAX 2048u
#define GASAN_UNITS_NONE UINT32_MAX
/* Spare memory, kept for the next units: slightly more than the units of a 1 GiB chunk with its redzones on an H200. */
#define GASAN_UNITS_SPARES 8u

enum gasan_unit_state {
  GASAN_UNIT_POISON, /* map_filled: readable; all such units share their memory */
  GASAN_UNIT_NONE,   /* nothing is mapped; only after a failure of the device */
  GASAN_UNIT_RAW,    /* its own memory is mapped; the contents are undefined, so all of it must be written */
  GASAN_UNIT_READY,  /* its own memory is mapped and written */
};

struct gasan_units {
  struct gasan_device *device;
  uint64_t base, unit_size;
  uint32_t count;
  uint8_t poison;
  /* The latest unit that has no users any more. It stays mapped for the next user. GASAN_UNITS_NONE: none. */
  uint32_t idle;
  uint32_t spare_count;
  uint32_t users[GASAN_UNITS_MAX];
  enum gasan_unit_state states[GASAN_UNITS_MAX];
  uint64_t memory[GASAN_UNITS_MAX]; /* of each unit, mapped or not; 0: none. A unit with users has memory */
  uint64_t spares[GASAN_UNITS_MAX]; /* more than GASAN_UNITS_SPARES only if the device did not take memory back */
};

/* Creates the units of a shadow of `size` bytes, a power of two; at least a page of the device. The status is the
 * device's. */
struct gasan_status gasan_units_create(struct gasan_units *units, struct gasan_device *device, uint64_t size,
                                       uint8_t poison);
void gasan_units_destroy(struct gasan_units *units);
uint64_t gasan_units_size(const struct gasan_units *units);

/* Adds a user to the unit, which then has memory. A failure (the device's status) adds no user. */
struct gasan_status gasan_units_join(struct gasan_units *units, uint32_t unit);
/* Removes a user from the unit. Returns true if the unit was never mapped and its memory was taken away; the caller
 * must then drop the unit's bytes. */
bool gasan_units_leave(struct gasan_units *units, uint32_t unit);

enum gasan_unit_change {
  GASAN_UNIT_SAME,
  GASAN_UNIT_TAKEN,      /* the unit is RAW now */
  GASAN_UNIT_GIVEN_BACK, /* the unit's memory is a spare now; the caller must forget its bytes */
};
/* Maps the unit's memory if the unit has users. Takes the memory away if the unit has no users and is not idle. After a
 * failure, the unit is mapped as poison or not at all, and the next call tries again. If the device does not take
 * memory back, that is not a failure. */
struct gasan_status gasan_units_settle(struct gasan_units *units, uint32_t unit, enum gasan_unit_change *change);
/* Makes a RAW unit READY, after all its bytes were written. */
void gasan_units_written(struct gasan_units *units, uint32_t unit);

/* Returns the spare memory to the device. */
void gasan_units_release_spares(struct gasan_units *units);

/* Returns the bytes of device memory in use, without the memory of the poison. */
uint64_t gasan_units_memory(const struct gasan_units *units);

#endif
