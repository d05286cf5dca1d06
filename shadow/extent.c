/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "shadow/extent.h"
#include "base/round.h"

/* One call maps at least so many bytes, even if the device's pages are smaller, because each call has a cost. */
#define SMALLEST_STEP 65536u

struct gasan_status gasan_extent_create(struct gasan_extent *extent, struct gasan_device *device, uint64_t size) {
  uint64_t page = device ? device->kind->page_size(device) : SMALLEST_STEP,
           reserved = page > SMALLEST_STEP ? page : SMALLEST_STEP;
  while (reserved < size)
    reserved *= 2;
  *extent = (struct gasan_extent){.device = device, .size = reserved};
  if (!device)
    return gasan_status_make(GASAN_OK);
  struct gasan_status status = device->kind->reserve(device, reserved, page, &extent->base);
  if (!gasan_ok(status))
    extent->size = 0;
  return status;
}

void gasan_extent_destroy(struct gasan_extent *extent) {
  if (!extent->size || !extent->device)
    return;
  const struct gasan_device_kind *kind = extent->device->kind;
  if (!extent->mapped || gasan_ok(kind->unmap(extent->device, extent->base, extent->mapped)))
    kind->release(extent->device, extent->base, extent->size);
  extent->size = 0;
}

struct gasan_status gasan_extent_grow(struct gasan_extent *extent, uint64_t size) {
  if (size <= extent->mapped)
    return gasan_status_make(GASAN_OK);
  if (size > extent->size)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  if (!extent->device) {
    extent->mapped = size;
    return gasan_status_make(GASAN_OK);
  }
  uint64_t page = extent->device->kind->page_size(extent->device);
  uint64_t step = page > SMALLEST_STEP ? page : SMALLEST_STEP;
  uint64_t more = gasan_round_up(size - extent->mapped, step);
  struct gasan_status status = extent->device->kind->map(extent->device, extent->base + extent->mapped, more);
  if (gasan_ok(status))
    extent->mapped += more;
  return status;
}
