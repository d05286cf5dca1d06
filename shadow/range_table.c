/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/range_table.h"

#include <stdlib.h>

#include "shadow/extent.h"

struct gasan_ranges {
  struct gasan_device *device;
  uint64_t address; /* of the table */
  struct gasan_extent extent;
  uint64_t first, count; /* of the current version */
  uint8_t version;
};

struct gasan_status gasan_ranges_create(struct gasan_device *device, struct gasan_ranges **ranges) {
  struct gasan_ranges *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  struct gasan_status status =
      gasan_extent_create(&created->extent, device, (uint64_t)GASAN_RANGES_MOST * sizeof(struct gasan_range));
  if (gasan_ok(status))
    status = device->kind->device_alloc(device, sizeof(struct gasan_range_table), &created->address);
  if (gasan_ok(status))
    status = device->kind->write(device, created->address + offsetof(struct gasan_range_table, ranges),
                                 &created->extent.base, sizeof created->extent.base);
  if (gasan_ok(status))
    *ranges = created;
  else
    gasan_ranges_destroy(created);
  return status;
}

void gasan_ranges_destroy(struct gasan_ranges *ranges) {
  if (!ranges)
    return;
  gasan_extent_destroy(&ranges->extent);
  free(ranges);
}

uint64_t gasan_ranges_address(const struct gasan_ranges *ranges) {
  return ranges->address;
}

struct gasan_status gasan_ranges_write(struct gasan_ranges *ranges, const struct gasan_range *values, uint64_t count) {
  /* Before the current version if there is room, else after it. */
  uint64_t first = count <= ranges->first ? 0 : ranges->first + ranges->count;
  if (first + count > GASAN_RANGES_MOST)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct gasan_device *device = ranges->device;
  struct gasan_status status = gasan_extent_grow(&ranges->extent, (first + count) * sizeof *values);
  if (gasan_ok(status) && count)
    status = device->kind->write(device, ranges->extent.base + first * sizeof *values, values, count * sizeof *values);
  uint64_t current =
      (uint64_t)(uint8_t)(ranges->version + 1) << 2 * GASAN_RANGES_BITS | first << GASAN_RANGES_BITS | count;
  if (gasan_ok(status))
    status = device->kind->write(device, ranges->address, &current, sizeof current);
  if (!gasan_ok(status))
    return status;
  ranges->version++;
  ranges->first = first;
  ranges->count = count;
  return status;
}

uint64_t gasan_ranges_memory(const struct gasan_ranges *ranges) {
  return ranges->extent.mapped;
}

uint64_t gasan_ranges_used(const struct gasan_ranges *ranges) {
  return sizeof(struct gasan_range_table) + ranges->count * sizeof(struct gasan_range);
}
