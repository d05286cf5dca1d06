/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pool with an address window, for devices with virtual memory management (private to pool/). Chunks never move.
 *
 * window_pool.c opens and closes the pool and uploads its tables, window_allocate.c and window_free.c change it, and
 * window_find.c answers questions about pointers. window_regions.c divides chunks for sub-allocators, and
 * region_tables.c writes the divisions to shadow and tables. */
#ifndef GASAN_POOL_WINDOW_POOL_H
#define GASAN_POOL_WINDOW_POOL_H

#include "pool/kind.h"
#include "pool/lookup.h"
#include "pool/pages.h"
#include "pool/quarantine.h"
#include "pool/records.h"
#include "pool/regions.h"
#include "pool/space.h"
#include "shadow/tags.h"

#define GASAN_POOL_SMALLEST_WINDOW (1ull << 32) /* struct gasan_params compares the high 32 bits of an address */

/* The pool's lock protects all members. */
struct gasan_window_pool {
  struct gasan_pool pool; /* first: a pointer to one is a pointer to the other */
  struct gasan_chunk_lookup lookup;
  struct gasan_space space;
  struct gasan_records records;
  struct gasan_pages pages;
  struct gasan_quarantine quarantine;  /* freed chunks that still have their memory */
  struct gasan_quarantine dead;        /* freed chunks that only have their addresses */
  struct gasan_pool_counters counters; /* without the numbers that other members have */
  uint64_t random;                     /* state of the generator of tags */
  uint64_t guard_turn, guard_turns;    /* the budget of time for guards of small chunks (window_allocate.c) */
  struct gasan_entry *divided;         /* the chunks with regions; live */
  _Atomic uint64_t region_epoch;       /* gasan_pool_region_epoch; written under the lock */
};

/* gasan_pool_create for options without handle_bits. */
struct gasan_status gasan_window_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                             struct gasan_pool **pool);

static inline struct gasan_window_pool *gasan_window_of(struct gasan_pool *pool) {
  return (struct gasan_window_pool *)pool;
}

static inline const struct gasan_window_pool *gasan_const_window_of(const struct gasan_pool *pool) {
  return (const struct gasan_window_pool *)pool;
}

/* Returns the address in the program's pointer, without its tag. */
static inline uint64_t gasan_window_address(const struct gasan_pool *pool, uint64_t pointer) {
  return pool->options.tags ? gasan_tag_strip(pointer) : pointer;
}

/* Returns the pointer's tag; 0 in a pool without tags. */
static inline uint32_t gasan_window_tag(const struct gasan_pool *pool, uint64_t pointer) {
  return pool->options.tags ? gasan_tag_of(pointer) : 0;
}

/* Returns whether a pointer with this tag may be the entry's. A pointer without a tag may be any chunk's: code without
 * instrumentation may have removed the tag. */
static inline bool gasan_window_tag_fits(const struct gasan_entry *entry, uint32_t tag) {
  return tag == 0 || tag == entry->tag;
}

/* Returns the program's pointer to the start of the entry's chunk. */
static inline uint64_t gasan_window_pointer(const struct gasan_entry *entry) {
  return entry->tag ? gasan_tag_put(entry->base, entry->tag) : entry->base;
}

/* Operations of gasan_pool_kind. */
struct gasan_status gasan_window_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                          uint64_t *pointer);
enum gasan_pool_free_result gasan_window_free(struct gasan_pool *pool, uint64_t pointer,
                                              struct gasan_pool_caller caller, struct gasan_chunk *chunk);
bool gasan_window_owns(const struct gasan_pool *pool, uint64_t pointer);
bool gasan_window_find(struct gasan_pool *pool, uint64_t pointer, struct gasan_chunk *chunk);
bool gasan_window_covers(struct gasan_pool *pool, uint64_t pointer, uint64_t size, uint64_t *fault);
void gasan_window_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                            void *context);
struct gasan_status gasan_window_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address);
uint64_t gasan_window_pointer_to(struct gasan_pool *pool, uint64_t address);

/* The functions below need the pool's lock. */

/* Poisons the entry's shadow. */
void gasan_window_poison(struct gasan_window_pool *window, const struct gasan_entry *entry);
/* Gives up the entry's part of the shadow: it stays poisoned until another chunk gets the addresses. */
void gasan_window_leave_shadow(struct gasan_window_pool *window, const struct gasan_entry *entry);
/* Releases the memory under the entry's chunk; the status is gasan_pages_release's. */
struct gasan_status gasan_window_release_memory(struct gasan_window_pool *window, struct gasan_entry *entry);
/* Makes the addresses of the oldest dead chunk free. There must be a dead chunk. */
void gasan_window_release_oldest_dead(struct gasan_window_pool *window);
/* Releases all memory that can be released: of quarantined chunks, idle pages and the shadow. Returns whether there was
 * any. */
bool gasan_window_give_back(struct gasan_window_pool *window);

/* Returns the chunk that explains the program's pointer best, or NULL. */
struct gasan_entry *gasan_window_find_entry(struct gasan_window_pool *window, uint64_t pointer);
/* Copies the entry's record for the caller of the pool. */
void gasan_window_copy_chunk(const struct gasan_window_pool *window, const struct gasan_entry *entry,
                             struct gasan_chunk *chunk);

/* Updates shadow and tables for pointers into [low, high) of a divided chunk. Returns false without memory for the
 * tables: then neither has changed. */
bool gasan_window_update_regions(struct gasan_window_pool *window, struct gasan_entry *entry, uint64_t low,
                                 uint64_t high);
/* Does the same for the shadow only, which cannot fail. */
void gasan_window_update_region_shadow(struct gasan_window_pool *window, const struct gasan_entry *entry, uint64_t low,
                                       uint64_t high);
/* Ends all regions and heaps of the chunk: its tables are as before the first one. Leaves the shadow to the caller. */
void gasan_window_undivide(struct gasan_window_pool *window, struct gasan_entry *entry);

#endif
