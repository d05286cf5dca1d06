/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding room for a chunk in the segments: by moving the newest one to a larger allocation, or by opening another. */
#include <stdlib.h>

#include "base/check.h"
#include "base/round.h"
#include "pool/moving_pool.h"

#define SEGMENT_UNIT (2ull << 20)
#define FIRST_SEGMENT_SIZE (4ull << 20)

struct gasan_status gasan_moving_upload(struct gasan_moving_pool *moving, uint64_t first, uint64_t end) {
  if (first >= end)
    return gasan_status_make(GASAN_OK);
  return moving->pool.device->kind->write(moving->pool.device, moving->table + first * sizeof *moving->entries,
                                          &moving->entries[first], (end - first) * sizeof *moving->entries);
}

static void set_addresses(struct gasan_moving_pool *moving, const struct gasan_moving_segment *segment,
                          uint64_t address) {
  for (uint64_t id = 0; id < moving->id_end; id++) {
    const struct gasan_moving_chunk *chunk = moving->chunks[id];
    if (chunk && chunk->entry.state == GASAN_ENTRY_LIVE && chunk->segment == segment)
      moving->entries[id].address = address + chunk->entry.base;
  }
}

/* Returns the segment size in bytes that a chunk with this layout at this offset needs. */
static uint64_t needed_by(const struct gasan_layout *layout, uint64_t offset) {
  return gasan_round_up(offset + layout->aligned + layout->redzone, SEGMENT_UNIT);
}

/* Allocates `wished` bytes or, if the device does not have as many, `needed` bytes. Returns the size; 0: *status says
 * why there is none. */
static uint64_t get_memory(struct gasan_moving_pool *moving, uint64_t wished, uint64_t needed, uint64_t *address,
                           struct gasan_status *status) {
  const struct gasan_device_kind *kind = moving->pool.device->kind;
  *status = kind->plain_alloc(moving->pool.device, wished, address);
  if (gasan_ok(*status))
    return wished;
  if (status->code == GASAN_ERR_OUT_OF_MEMORY && wished != needed)
    *status = kind->plain_alloc(moving->pool.device, needed, address);
  return gasan_ok(*status) ? needed : 0;
}

/* Moves the segment to an allocation of at least `needed` bytes. No kernel, copy or thread may use its memory. */
static struct gasan_status move_segment(struct gasan_moving_pool *moving, struct gasan_moving_segment *segment,
                                        uint64_t needed) {
  const struct gasan_device_kind *kind = moving->pool.device->kind;
  uint64_t address = 0, wished = segment->size * 2 > needed ? segment->size * 2 : needed;
  struct gasan_status status;
  uint64_t size = get_memory(moving, wished, needed, &address, &status);
  if (!size)
    return status;
  status = kind->plain_copy(moving->pool.device, address, segment->address, segment->size);
  if (gasan_ok(status)) {
    set_addresses(moving, segment, address);
    status = gasan_moving_upload(moving, 0, moving->id_end);
    if (!gasan_ok(status))
      set_addresses(moving, segment, segment->address); /* the next upload corrects the bytes of the failed one */
  }
  if (!gasan_ok(status)) {
    kind->plain_free(moving->pool.device, address);
    return status;
  }
  moving->counters.mapped_bytes += size - segment->size;
  moving->counters.moves++;
  uint64_t old = segment->address;
  segment->address = address;
  segment->size = size;
  kind->plain_free(moving->pool.device, old); /* leaked if the device refuses */
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status open_segment(struct gasan_moving_pool *moving, const struct gasan_layout *layout) {
  struct gasan_moving_segment *segment = calloc(1, sizeof *segment);
  if (!segment)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  gasan_space_init(&segment->space, 0, GASAN_MOVING_SPACE);
  uint64_t offset = 0;
  if (!gasan_space_find(&segment->space, layout, &offset)) {
    free(segment);
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  }
  uint64_t needed = needed_by(layout, offset);
  uint64_t wished = needed > FIRST_SEGMENT_SIZE ? needed : FIRST_SEGMENT_SIZE;
  struct gasan_status status;
  segment->size = get_memory(moving, wished, needed, &segment->address, &status);
  if (!segment->size) {
    free(segment);
    return status;
  }
  segment->next = moving->segments;
  moving->segments = segment;
  moving->counters.segments++;
  moving->counters.mapped_bytes += segment->size;
  return status;
}

/* Frees segments without chunks. Returns whether there was one. */
static bool close_empty(struct gasan_moving_pool *moving) {
  bool any = false;
  for (struct gasan_moving_segment **link = &moving->segments; *link;) {
    struct gasan_moving_segment *segment = *link;
    if (segment->live || !gasan_ok(moving->pool.device->kind->plain_free(moving->pool.device, segment->address))) {
      link = &segment->next;
      continue;
    }
    moving->counters.segments--;
    moving->counters.mapped_bytes -= segment->size;
    *link = segment->next;
    free(segment);
    any = true;
  }
  return any;
}

static bool place_in(struct gasan_moving_segment *segment, struct gasan_moving_chunk *chunk) {
  uint64_t offset = 0;
  if (!gasan_space_find(&segment->space, &chunk->entry.layout, &offset) ||
      needed_by(&chunk->entry.layout, offset) > segment->size)
    return false;
  chunk->entry.base = offset;
  chunk->segment = segment;
  return true;
}

static bool place_anywhere(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk) {
  for (struct gasan_moving_segment *segment = moving->segments; segment; segment = segment->next)
    if (place_in(segment, chunk))
      return true;
  return false;
}

/* Makes the newest segment large enough for a chunk with this layout, if it may move now. */
static bool grow_newest(struct gasan_moving_pool *moving, const struct gasan_layout *layout) {
  struct gasan_moving_segment *newest = moving->segments;
  uint64_t offset = 0;
  if (!newest || newest->pinned || !gasan_space_find(&newest->space, layout, &offset) ||
      !moving->pool.options.try_still(moving->pool.device))
    return false;
  struct gasan_status status = move_segment(moving, newest, needed_by(layout, offset));
  moving->pool.options.end_still(moving->pool.device);
  return gasan_ok(status);
}

struct gasan_status gasan_moving_find_room(struct gasan_moving_pool *moving, struct gasan_moving_chunk *chunk) {
  const struct gasan_layout *layout = &chunk->entry.layout;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (place_anywhere(moving, chunk))
    return status;
  if (!grow_newest(moving, layout)) {
    status = open_segment(moving, layout);
    if (status.code == GASAN_ERR_OUT_OF_MEMORY && close_empty(moving))
      status = open_segment(moving, layout);
  }
  if (gasan_ok(status))
    GASAN_CHECK(place_anywhere(moving, chunk));
  return status;
}
