/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of ranges that device code searches (struct gasan_range_table in shadow/bounds.h): the host writes all of it
 * again when something has changed. Kernels may run meanwhile. No lock inside. */
#ifndef GASAN_SHADOW_RANGES_H
#define GASAN_SHADOW_RANGES_H

#include "base/status.h"
#include "device/device.h"
#include "shadow/bounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_ranges;

/* Memory is taken with the first range. *ranges is only set if the status is OK. ERR_OUT_OF_HOST_MEMORY,
 * ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_ranges_create(struct gasan_device *device, struct gasan_ranges **ranges);
/* NULL: nothing. The table itself stays, without memory for ranges: no kernel may search it any more. */
void gasan_ranges_destroy(struct gasan_ranges *ranges);

/* The device address of the table, for ever the same. */
uint64_t gasan_ranges_address(const struct gasan_ranges *ranges);

/* These are the ranges from now on, sorted by start. On failure what was stays. ERR_OUT_OF_MEMORY: there are too many,
 * or the device has no memory. ERR_DEVICE. */
struct gasan_status gasan_ranges_write(struct gasan_ranges *ranges, const struct gasan_range *values, uint64_t count);

/* Device bytes taken now. */
uint64_t gasan_ranges_used(const struct gasan_ranges *ranges); /* of the current version */
uint64_t gasan_ranges_memory(const struct gasan_ranges *ranges);

#ifdef __cplusplus
}
#endif
#endif
