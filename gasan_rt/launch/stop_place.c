/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/stop_place.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/report/report_stopped.h"
#include "shadow/bounds.h"

static struct gasan_pool *pool_of(uint64_t address) {
  struct gasan_rt_device *owner = gasan_rt_owner((const void *)(uintptr_t)address);
  return owner ? owner->pool : NULL;
}

/* The bytes in which an access may have begun. */
struct span {
  uint64_t address, size;
};

static bool overlaps(const struct gasan_chunk *chunk, struct span span) {
  return span.address < chunk->base + chunk->size && chunk->base < span.address + span.size;
}

static uint64_t distance_of(const struct gasan_chunk *chunk, struct span span) {
  if (overlaps(chunk, span))
    return 0;
  return span.address < chunk->base ? chunk->base - (span.address + span.size)
                                    : span.address - (chunk->base + chunk->size);
}

static bool is_freed_there(const struct gasan_chunk *chunk, struct span span) {
  return chunk->state == GASAN_CHUNK_FREED && overlaps(chunk, span);
}

/* Finds the chunk that explains an access in the span: a freed one that the span has bytes of, else the nearest. */
static bool find_chunk(struct span span, struct gasan_chunk *chunk) {
  struct gasan_pool *pool = pool_of(span.address);
  struct gasan_chunk last;
  const bool found = pool && gasan_pool_find(pool, span.address, chunk);
  if (!pool || !gasan_pool_find(pool, span.address + span.size - 1, &last))
    return found;
  if (!found || (!is_freed_there(chunk, span) &&
                 (is_freed_there(&last, span) || distance_of(&last, span) < distance_of(chunk, span))))
    *chunk = last;
  return true;
}

/* Returns true if a live chunk has memory at the address or on the same page. */
static bool is_mapped(uint64_t address) {
  struct gasan_rt_device *owner = gasan_rt_owner((const void *)(uintptr_t)address);
  struct gasan_chunk chunk;
  if (!owner || !owner->pool)
    return true; /* not known: memory of others */
  const uint64_t page = owner->device->kind->page_size(owner->device);
  return find_chunk((struct span){address & ~(page - 1), page}, &chunk) && chunk.state == GASAN_CHUNK_LIVE &&
         overlaps(&chunk, (struct span){address & ~(page - 1), page});
}

/* Returns true if the load of this address may be the one that was stopped. */
static bool explains(const struct gasan_device_stop *stop, const struct gasan_evidence *evidence, uint64_t address) {
  if (stop->error == cudaErrorMisalignedAddress)
    return address & (evidence->dump.instruction.size - 1);
  if (stop->error != cudaErrorIllegalAddress)
    return false;
  return evidence->has_log ? address - evidence->log.address < GASAN_LOG_PAGE : !is_mapped(address);
}

/* Finds the first thread whose registers hold an address that explains the stop. */
static bool find_exact(const struct gasan_device_stop *stop, const struct gasan_evidence *evidence,
                       struct gasan_stop_place *place) {
  const struct gasan_dump_fault *dump = &evidence->dump;
  for (uint32_t i = 0; evidence->has_dump && i < dump->address_count; i++) {
    if (!explains(stop, evidence, dump->addresses[i]))
      continue;
    place->address = dump->addresses[i];
    place->span = 1;
    place->has_thread = true;
    memcpy(place->thread, dump->address_threads[i], sizeof place->thread);
    memcpy(place->block, dump->block, sizeof place->block);
    return true;
  }
  return false;
}

/* Returns the kind of an illegal access. A live chunk does not explain it. */
static enum gasan_kind kind_of(const struct gasan_device_stop *stop, const struct gasan_stop_place *place) {
  const struct span span = {place->address, place->span};
  if (stop->error != cudaErrorIllegalAddress)
    return stop->kind;
  if (place->is_foreign)
    return stop->kind;
  if (!place->has_chunk)
    return place->address < GASAN_NULL_PAGE ? GASAN_KIND_NULL_ADDRESS : GASAN_KIND_WILD_ADDRESS;
  if (is_freed_there(&place->chunk, span))
    return GASAN_KIND_HEAP_USE_AFTER_FREE;
  return overlaps(&place->chunk, span) ? stop->kind : GASAN_KIND_HEAP_BUFFER_OVERFLOW;
}

/* Memory outside the pools: a live allocation, as far as gasan has seen it. */
static bool is_foreign(const struct gasan_stop_place *place) {
  struct gasan_foreign range;
  return gasan_foreign_find((const void *)(uintptr_t)place->address, &range);
}

/* A pool whose pointers are not addresses has no records by address. */
struct gasan_stop_place gasan_stop_place_find(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                                              const struct gasan_evidence *evidence) {
  struct gasan_stop_place place = {.kind = stop->kind};
  if (!state->pool || gasan_pool_translates(state->pool))
    return place;
  if (!find_exact(stop, evidence, &place)) {
    if (!evidence->has_log || stop->error != cudaErrorIllegalAddress)
      return place;
    place.address = evidence->log.address;
    place.span = GASAN_LOG_PAGE;
  }
  place.has_chunk = find_chunk((struct span){place.address, place.span}, &place.chunk);
  place.is_foreign = !place.has_chunk && is_foreign(&place);
  place.kind = kind_of(stop, &place);
  return place;
}
