/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/lookup.h"

#include <stdlib.h>

#include "base/check.h"

/* The pool has left as little as 256 bytes between chunks, so half of that is less than a block of the page map. */
#define SEARCHED_BLOCK 16u

static struct gasan_status open_ranges(struct gasan_chunk_lookup *lookup, struct gasan_device *device) {
  struct gasan_ranges *ranges;
  struct gasan_status status = gasan_ranges_create(device, &ranges);
  if (gasan_ok(status))
    atomic_store_explicit(&lookup->ranges, ranges, memory_order_release);
  return status;
}

struct gasan_status gasan_chunk_lookup_open(struct gasan_chunk_lookup *lookup, struct gasan_device *device,
                                            enum gasan_pool_lookup kind, bool tags, uint64_t base, uint64_t size) {
  lookup->kind = kind;
  lookup->block = GASAN_SPAN_BLOCK_OF_MAP;
  if (kind == GASAN_POOL_LOOKUP_NONE)
    return gasan_status_make(GASAN_OK);
  if (kind == GASAN_POOL_LOOKUP_PAGEMAP)
    return gasan_tables_create(device, base, size, tags, &lookup->tables);
  return open_ranges(lookup, device);
}

struct gasan_status gasan_chunk_lookup_add_ranges(struct gasan_chunk_lookup *lookup, struct gasan_device *device) {
  GASAN_CHECK(lookup->kind == GASAN_POOL_LOOKUP_NONE);
  lookup->block = SEARCHED_BLOCK;
  atomic_store(&lookup->changed, true);
  struct gasan_status status = open_ranges(lookup, device);
  if (gasan_ok(status))
    lookup->kind = GASAN_POOL_LOOKUP_TREE;
  return status;
}

void gasan_chunk_lookup_close(struct gasan_chunk_lookup *lookup) {
  gasan_tables_destroy(lookup->tables);
  gasan_ranges_destroy(lookup->ranges);
  free(lookup->values);
}

static uint64_t user_end(const struct gasan_entry *entry) {
  return entry->base + entry->layout.size;
}

static struct gasan_pointer_span span_of(const struct gasan_chunk_lookup *lookup, const struct gasan_space *space,
                                         const struct gasan_entry *entry, const struct gasan_entry *previous,
                                         const struct gasan_entry *next) {
  return gasan_pointer_span_of(entry->base, entry->layout.size, entry->layout.redzone, user_end(previous),
                               next ? next->base : space->end, lookup->block);
}

static void mark_changed(struct gasan_chunk_lookup *lookup) {
  atomic_store_explicit(&lookup->changed, true, memory_order_release);
}

struct gasan_status gasan_chunk_lookup_prepare(struct gasan_chunk_lookup *lookup, const struct gasan_space *space,
                                               struct gasan_entry *entry) {
  if (!lookup->tables)
    return gasan_status_make(GASAN_OK);
  const struct gasan_entry *previous = gasan_space_floor(space, entry->base);
  lookup->prepared = span_of(lookup, space, entry, previous, gasan_space_next(previous));
  GASAN_CHECK(lookup->prepared.low <= entry->base && user_end(entry) < lookup->prepared.high);
  return gasan_tables_prepare(lookup->tables, &lookup->prepared, &entry->bst);
}

void gasan_chunk_lookup_cancel(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry) {
  if (lookup->tables)
    gasan_tables_cancel(lookup->tables, entry->bst);
}

void gasan_chunk_lookup_add(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry) {
  if (lookup->tables)
    gasan_tables_add(lookup->tables, &lookup->prepared, entry->bst, entry->tag);
  mark_changed(lookup);
}

void gasan_chunk_lookup_kill(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry) {
  if (lookup->tables)
    gasan_tables_kill(lookup->tables, entry->bst);
  mark_changed(lookup);
}

void gasan_chunk_lookup_release(struct gasan_chunk_lookup *lookup, struct gasan_entry *entry) {
  if (lookup->tables)
    gasan_tables_release(lookup->tables, entry->bst);
  mark_changed(lookup);
}

bool gasan_chunk_lookup_changed(const struct gasan_chunk_lookup *lookup) {
  return lookup->ranges && atomic_load_explicit(&lookup->changed, memory_order_acquire);
}

static bool make_room(struct gasan_chunk_lookup *lookup, uint64_t count) {
  if (count < lookup->room)
    return true;
  uint64_t room = lookup->room ? lookup->room * 2 : 1024;
  struct gasan_range *values = realloc(lookup->values, room * sizeof *values);
  if (!values)
    return false;
  lookup->values = values;
  lookup->room = room;
  return true;
}

struct gasan_status gasan_chunk_lookup_write(struct gasan_chunk_lookup *lookup, const struct gasan_space *space) {
  uint64_t count = 0;
  const struct gasan_entry *previous = &space->edge;
  for (const struct gasan_entry *entry = gasan_space_first(space); entry;
       previous = entry, entry = gasan_space_next(entry)) {
    if (!make_room(lookup, count))
      return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
    struct gasan_pointer_span span = span_of(lookup, space, entry, previous, gasan_space_next(entry));
    lookup->values[count++] = (struct gasan_range){.start = span.low,
                                                   .last = span.high - 1,
                                                   .base = entry->base,
                                                   .size = entry->state == GASAN_ENTRY_LIVE ? entry->layout.size : 0};
  }
  struct gasan_status status = gasan_ranges_write(lookup->ranges, lookup->values, count);
  if (gasan_ok(status))
    atomic_store_explicit(&lookup->changed, false, memory_order_release);
  return status;
}

struct gasan_status gasan_chunk_lookup_flush(struct gasan_chunk_lookup *lookup) {
  return lookup->tables ? gasan_tables_flush(lookup->tables) : gasan_status_make(GASAN_OK);
}

void gasan_chunk_lookup_params(const struct gasan_chunk_lookup *lookup, struct gasan_params *params) {
  if (lookup->kind == GASAN_POOL_LOOKUP_NONE)
    return;
  params->lookup = lookup->kind == GASAN_POOL_LOOKUP_TREE   ? GASAN_LOOKUP_TREE
                   : lookup->kind == GASAN_POOL_LOOKUP_LIST ? GASAN_LOOKUP_LIST
                                                            : GASAN_LOOKUP_PAGEMAP;
  if (lookup->tables)
    gasan_tables_params(lookup->tables, params);
  else
    params->search = gasan_ranges_address(lookup->ranges);
}

uint64_t gasan_chunk_lookup_memory(const struct gasan_chunk_lookup *lookup) {
  return lookup->tables   ? gasan_tables_memory(lookup->tables)
         : lookup->ranges ? gasan_ranges_memory(lookup->ranges)
                          : 0;
}

uint64_t gasan_chunk_lookup_used(const struct gasan_chunk_lookup *lookup) {
  return lookup->tables ? gasan_tables_used(lookup->tables) : lookup->ranges ? gasan_ranges_used(lookup->ranges) : 0;
}
