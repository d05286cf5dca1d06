/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/neighbours.h"

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/report/report_note.h"

#define FARTHEST (1ull << 40)

/* Asks for the chunks that explain addresses farther and farther from the edge, to one side. The first other chunk is
 * the nearest one there. */
static void note_side(struct gasan_pool *pool, const struct gasan_chunk *chunk, uint64_t edge, bool is_after) {
  for (uint64_t distance = 1; distance < FARTHEST; distance *= 2) {
    const uint64_t at = is_after ? edge + distance : edge - distance;
    struct gasan_chunk other;
    if (!gasan_pool_owns(pool, at) || !gasan_pool_explain(pool, at, &other))
      return;
    const bool is_on_side = is_after ? other.base > chunk->base : other.base < chunk->base;
    if (!is_on_side)
      continue;
    if (other.state == GASAN_CHUNK_LIVE)
      gasan_note_neighbour(other.base, other.size);
    return;
  }
}

void gasan_report_note_neighbours(const struct gasan_chunk *chunk) {
  struct gasan_rt_device *owner = gasan_rt_owner((const void *)(uintptr_t)chunk->base);
  if (!gasan_note_wants_neighbours() || !owner || !owner->pool)
    return;
  note_side(owner->pool, chunk, chunk->base, false);
  note_side(owner->pool, chunk, chunk->base + chunk->size - 1, true);
}
