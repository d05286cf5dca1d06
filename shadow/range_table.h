/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of ranges that device code searches (struct gasan_range_table in shadow/bounds.h). After a change, the host
 * writes the whole table again; kernels may run meanwhile. No lock inside. */
#ifndef GASAN_SHADOW_RANGE_TABLE_H
#define GASAN_SHADOW_RANGE_TABLE_H

#include "base/status.h"
#include "device/device.h"
#include "shadow/bounds.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_ranges;

/* Creates an empty table; memory for ranges follows with the first range. Sets *ranges only if the status is OK.
 * ERR_OUT_OF_HOST_MEMORY, ERR_OUT_OF_ADDRESSES, ERR_OUT_OF_MEMORY, ERR_DEVICE. */
struct gasan_status gasan_ranges_create(struct gasan_device *device, struct gasan_ranges **ranges);
/* Releases the memory for ranges. The table itself stays, but no kernel may search it any more. NULL: does nothing. */
void gasan_ranges_destroy(struct gasan_ranges *ranges);

/* Returns the device address of the table, which never changes. */
uint64_t gasan_ranges_address(const struct gasan_ranges *ranges);

/* Replaces all ranges by these, which are sorted by start. After a failure the old ranges stay. ERR_OUT_OF_MEMORY:
 * there are too many ranges, or the device has no memory. ERR_DEVICE. */
struct gasan_status gasan_ranges_write(struct gasan_ranges *ranges, const struct gasan_range *values, uint64_t count);

/* Return the bytes of device memory in use. */
uint64_t gasan_ranges_used(const struct gasan_ranges *ranges); /* of the current version */
uint64_t gasan_ranges_memory(const struct gasan_ranges *ranges);

#ifdef __cplusplus
}
#endif
#endif
