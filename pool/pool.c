/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/round.h"
#include "pool/lookup.h"
#include "pool/moving.h"
#include "pool/pages.h"
#include "pool/quarantine.h"
#include "pool/records.h"
#include "pool/space.h"
#include "shadow/tags.h"

#define SMALLEST_WINDOW (1ull << 32) /* struct gasan_params compares the high 32 bits of an address */
#define TEXTURE_ALIGNMENT 512u       /* every GPU's so far: a texture may begin where an allocation does */
/* With tables: between the block of a chunk's end and the next chunk is a block that can be the next one's, so that
 * pointers just before a chunk are known for its own (shadow/pointer_span.h). */
#define LEAST_REDZONE_OF_TABLES 768u
#define GREATEST_DEFAULT_WINDOW (1ull << 39) /* larger ones cost host memory for tables before they cost time */
#define GREATEST_WINDOW (1ull << 60)         /* sums of a few sizes in the window do not overflow */

struct gasan_pool {
  struct gasan_device *device;
  struct gasan_pool_options options;
  struct gasan_moving *moving; /* not NULL: it is the pool, and nothing below is used */
  struct gasan_shadow *shadow;
  uint64_t window_base;
  pthread_mutex_t lock; /* for everything below */
  struct gasan_chunk_lookup lookup;
  struct gasan_space space;
  struct gasan_records records;
  struct gasan_pages pages;
  struct gasan_quarantine quarantine, dead;
  struct gasan_pool_counters counters; /* those that are not kept elsewhere */
  uint64_t random;                     /* the tags' */
};

uint64_t gasan_pool_greatest_window(uint32_t shadow_scale) {
  if (shadow_scale == GASAN_SCALE_8)
    return GREATEST_WINDOW;
  if (shadow_scale == 0)
    shadow_scale = GASAN_SCALE_128;
  return shadow_scale == GASAN_SCALE_128 || shadow_scale == GASAN_SCALE_256 ? 1ull << (32 + shadow_scale) : 0;
}

void gasan_pool_default_options(struct gasan_device *device, uint32_t shadow_scale,
                                struct gasan_pool_options *options) {
  uint64_t window = SMALLEST_WINDOW, greatest = gasan_pool_greatest_window(shadow_scale);
  if (greatest > GREATEST_DEFAULT_WINDOW)
    greatest = GREATEST_DEFAULT_WINDOW;
  while (window / 4 < device->kind->total_memory(device) && window < greatest)
    window *= 2;
  *options = (struct gasan_pool_options){.window_size = window,
                                         .shadow_scale = shadow_scale,
                                         .redzone_percent = 50,
                                         .redzone_min = GASAN_POOL_ALIGNMENT,
                                         .alignment = TEXTURE_ALIGNMENT,
                                         .quarantine_size = 256ull << 20};
}

static struct gasan_status open_metadata(struct gasan_pool *pool) {
  const struct gasan_pool_options *options = &pool->options;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (options->shadow_scale)
    status = gasan_shadow_create(pool->device, pool->window_base, options->window_size, options->shadow_scale,
                                 &pool->shadow);
  if (gasan_ok(status))
    status = gasan_chunk_lookup_open(&pool->lookup, pool->device, options->lookup, options->tags, pool->window_base,
                                     options->window_size);
  if (!gasan_ok(status))
    gasan_shadow_destroy(pool->shadow);
  return status;
}

/* Opens the parts one on the other; what was opened is closed again if the next one fails. */
static struct gasan_status open_parts(struct gasan_pool *pool) {
  struct gasan_device *device = pool->device;
  uint64_t size = pool->options.window_size;
  struct gasan_status status = device->kind->reserve(device, size, size, &pool->window_base);
  if (!gasan_ok(status))
    return status;
  status = gasan_pages_init(&pool->pages, device, pool->window_base, size);
  if (gasan_ok(status)) {
    status = open_metadata(pool);
    if (gasan_ok(status))
      return status;
    gasan_pages_destroy(&pool->pages);
  }
  device->kind->release(device, pool->window_base, size);
  return status;
}

static struct gasan_status create_moving(struct gasan_device *device, const struct gasan_pool_options *options,
                                         struct gasan_pool **pool) {
  struct gasan_pool *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  created->options = *options;
  struct gasan_status status = gasan_moving_create(device, options, &created->moving);
  if (gasan_ok(status))
    *pool = created;
  else
    free(created);
  return status;
}

struct gasan_status gasan_pool_create(struct gasan_device *device, const struct gasan_pool_options *options,
                                      struct gasan_pool **pool) {
  if (options->handle_bits)
    return create_moving(device, options, pool);
  uint64_t size = options->window_size;
  uint64_t greatest = gasan_pool_greatest_window(options->shadow_scale);
  if (size < SMALLEST_WINDOW || size > greatest || (size & (size - 1)) ||
      (options->alignment & (options->alignment - 1)))
    return gasan_status_make(GASAN_ERR_INVALID);
  struct gasan_pool *created = calloc(1, sizeof *created);
  if (!created)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  created->device = device;
  created->options = *options;
  uint64_t least_alignment = options->lookup ? 1u << GASAN_MAP_BLOCK_SHIFT : GASAN_POOL_ALIGNMENT;
  if (created->options.alignment < least_alignment)
    created->options.alignment = least_alignment;
  uint64_t least_redzone = options->lookup ? LEAST_REDZONE_OF_TABLES : GASAN_POOL_ALIGNMENT;
  if (created->options.redzone_min < least_redzone)
    created->options.redzone_min = least_redzone;
  if (created->options.redzone_min > size)
    created->options.redzone_min = size; /* nothing fits any more, but nothing overflows either */
  created->options.redzone_min = gasan_round_up(created->options.redzone_min, GASAN_POOL_ALIGNMENT);
  struct gasan_status status = open_parts(created);
  if (!gasan_ok(status)) {
    free(created);
    return status;
  }
  gasan_space_init(&created->space, created->window_base, size);
  gasan_records_init(&created->records);
  GASAN_CHECK(pthread_mutex_init(&created->lock, NULL) == 0);
  *pool = created;
  return status;
}

static struct gasan_status release_memory(struct gasan_pool *pool, struct gasan_entry *entry) {
  return gasan_pages_release(&pool->pages, entry->base, entry->layout.footprint, entry->layout.large);
}

void gasan_pool_destroy(struct gasan_pool *pool) {
  if (!pool)
    return;
  if (pool->moving) {
    gasan_moving_destroy(pool->moving);
    free(pool);
    return;
  }
  for (struct gasan_entry *entry = gasan_space_first(&pool->space); entry; entry = gasan_space_next(entry))
    if (entry->state != GASAN_ENTRY_DEAD)
      release_memory(pool, entry);
  gasan_chunk_lookup_close(&pool->lookup);
  gasan_shadow_destroy(pool->shadow);
  gasan_pages_destroy(&pool->pages);
  gasan_records_destroy(&pool->records);
  pool->device->kind->release(pool->device, pool->window_base, pool->options.window_size);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

bool gasan_pool_moves(const struct gasan_pool *pool) {
  return pool->moving != NULL;
}

uint64_t gasan_pool_handle_table(const struct gasan_pool *pool) {
  return gasan_moving_table(pool->moving);
}

bool gasan_pool_translates(const struct gasan_pool *pool) {
  return pool->moving || pool->options.tags;
}

/* Where the program's pointer points to, and its tag: 0 in a pool without tags. */
static uint64_t address_of(const struct gasan_pool *pool, uint64_t pointer) {
  return pool->options.tags ? gasan_tag_strip(pointer) : pointer;
}

static uint32_t tag_of(const struct gasan_pool *pool, uint64_t pointer) {
  return pool->options.tags ? gasan_tag_of(pointer) : 0;
}

/* A pointer that lost its tag on its way (through code that nobody instrumented) is any chunk's. */
static bool is_of(const struct gasan_entry *entry, uint32_t tag) {
  return tag == 0 || tag == entry->tag;
}

static uint64_t pointer_base(const struct gasan_entry *entry) {
  return entry->tag ? gasan_tag_put(entry->base, entry->tag) : entry->base;
}

struct gasan_status gasan_pool_translate(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address) {
  if (pool->moving)
    return gasan_moving_translate(pool->moving, pointer, pin, address);
  *address = address_of(pool, pointer);
  return gasan_status_make(GASAN_OK);
}

uint64_t gasan_pool_pointer_to(struct gasan_pool *pool, uint64_t address) {
  if (pool->moving)
    return gasan_moving_handle_of(pool->moving, address);
  uint64_t pointer = 0;
  pthread_mutex_lock(&pool->lock);
  const struct gasan_entry *entry = gasan_records_nearest(&pool->records, address);
  if (entry && entry->state == GASAN_ENTRY_LIVE && address - entry->base <= entry->layout.size)
    pointer = pointer_base(entry) + (address - entry->base);
  pthread_mutex_unlock(&pool->lock);
  return pointer;
}

struct gasan_shadow *gasan_pool_shadow(struct gasan_pool *pool) {
  return pool->shadow;
}

void gasan_pool_params(const struct gasan_pool *pool, struct gasan_params *params) {
  if (pool->moving)
    return;
  if (pool->shadow) {
    params->shadow_base = gasan_shadow_base(pool->shadow);
    params->shadow_mask = gasan_shadow_mask(pool->shadow);
  }
  params->window_base = pool->window_base;
  params->window_size = pool->options.window_size;
  params->window_mask_high = ~(uint32_t)((params->window_size - 1) >> 32);
  params->window_base_high = (uint32_t)(params->window_base >> 32);
  gasan_chunk_lookup_params(&pool->lookup, params);
}

struct gasan_device *gasan_pool_device(struct gasan_pool *pool) {
  return pool->device;
}

uint64_t gasan_pool_window_base(const struct gasan_pool *pool) {
  return pool->window_base;
}

uint64_t gasan_pool_window_size(const struct gasan_pool *pool) {
  return pool->options.window_size;
}

/* How many bytes of the chunk the shadow calls accessible: no block of GASan-256 can have exactly one (gasan 3.1). */
static uint64_t accessible_bytes(const struct gasan_pool *pool, uint64_t size) {
  return pool->options.shadow_scale == GASAN_SCALE_256 && size % 256 == 1 ? size + 1 : size;
}

static uint64_t redzone_of(const struct gasan_pool *pool, uint64_t size) {
  unsigned __int128 scaled = (unsigned __int128)size * pool->options.redzone_percent / 100;
  if (scaled > pool->options.window_size)
    scaled = pool->options.window_size;
  uint64_t redzone = gasan_round_up((uint64_t)scaled, GASAN_POOL_ALIGNMENT);
  return redzone > pool->options.redzone_min ? redzone : pool->options.redzone_min;
}

/* size: at most the window's. */
static struct gasan_layout layout_of(const struct gasan_pool *pool, uint64_t size) {
  uint64_t page_size = pool->pages.page_size;
  struct gasan_layout layout = {.size = size,
                                .aligned = gasan_round_up(accessible_bytes(pool, size), GASAN_POOL_ALIGNMENT),
                                .redzone = redzone_of(pool, size),
                                .large = size > page_size / 2};
  layout.alignment = layout.large ? page_size : pool->options.alignment;
  layout.footprint = layout.large ? gasan_round_up(layout.aligned, page_size) : layout.aligned;
  return layout;
}

static struct gasan_status unpoison(struct gasan_pool *pool, const struct gasan_entry *entry) {
  if (!pool->shadow)
    return gasan_status_make(GASAN_OK);
  return gasan_shadow_unpoison(pool->shadow, entry->base, accessible_bytes(pool, entry->layout.size));
}

static void poison(struct gasan_pool *pool, const struct gasan_entry *entry) {
  if (pool->shadow)
    gasan_shadow_poison(pool->shadow, entry->base, accessible_bytes(pool, entry->layout.size));
}

/* The chunk's part of the shadow stays poisoned for good, or until another chunk has it. */
static void leave_shadow(struct gasan_pool *pool, const struct gasan_entry *entry) {
  if (pool->shadow)
    gasan_shadow_leave(pool->shadow, entry->base, accessible_bytes(pool, entry->layout.size));
}

static void release_addresses(struct gasan_pool *pool, struct gasan_entry *entry) {
  if (entry->state != GASAN_ENTRY_DEAD)
    leave_shadow(pool, entry);
  gasan_space_give_back(&pool->space, entry);
  gasan_chunk_lookup_release(&pool->lookup, entry);
  entry->state = GASAN_ENTRY_RELEASED;
  pool->records.released++;
}

/* From the quarantine to free addresses and free memory. False: the device did not take the memory; the entry waits on.
 * */
static bool release_oldest(struct gasan_pool *pool) {
  struct gasan_entry *entry = gasan_quarantine_pop(&pool->quarantine);
  if (!gasan_ok(release_memory(pool, entry))) {
    gasan_quarantine_push(&pool->quarantine, entry);
    return false;
  }
  release_addresses(pool, entry);
  return true;
}

/* Gives back all memory that can be given back. False: there was nothing. */
static bool give_back(struct gasan_pool *pool) {
  bool any = false;
  for (uint64_t chunks = pool->quarantine.chunks; chunks; chunks--)
    any |= release_oldest(pool);
  any |= gasan_pages_trim(&pool->pages) > 0;
  return (pool->shadow && gasan_shadow_trim(pool->shadow) > 0) || any;
}

static bool is_short_of_something(struct gasan_status status) {
  return status.code == GASAN_ERR_OUT_OF_MEMORY || status.code == GASAN_ERR_OUT_OF_ADDRESSES;
}

static struct gasan_status find_addresses(struct gasan_pool *pool, struct gasan_entry *entry) {
  if (!gasan_space_find(&pool->space, &entry->layout, &entry->base))
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  struct gasan_status status = gasan_chunk_lookup_prepare(&pool->lookup, &pool->space, entry);
  if (!gasan_ok(status))
    return status;
  status = unpoison(pool, entry);
  if (!gasan_ok(status))
    gasan_chunk_lookup_cancel(&pool->lookup, entry);
  return status;
}

/* Finds addresses for the entry and puts shadow and memory under them. On failure nothing changed but dead chunks. */
static struct gasan_status place(struct gasan_pool *pool, struct gasan_entry *entry) {
  const struct gasan_layout *layout = &entry->layout;
  /* First what can be undone for certain: poisoning cannot fail, unmapping can. */
  struct gasan_status status = find_addresses(pool, entry);
  while (status.code == GASAN_ERR_OUT_OF_ADDRESSES && pool->dead.chunks) {
    release_addresses(pool, gasan_quarantine_pop(&pool->dead));
    status = find_addresses(pool, entry);
  }
  if (!gasan_ok(status))
    return status;
  status = gasan_pages_acquire(&pool->pages, entry->base, layout->footprint, layout->large);
  if (!gasan_ok(status)) {
    poison(pool, entry);
    leave_shadow(pool, entry);
    gasan_chunk_lookup_cancel(&pool->lookup, entry);
  }
  return status;
}

static void count_allocation(struct gasan_pool *pool, const struct gasan_entry *entry) {
  struct gasan_pool_counters *counters = &pool->counters;
  uint64_t end = entry->base + entry->layout.size - pool->window_base;
  counters->allocations++;
  counters->live_chunks++;
  counters->live_bytes += entry->layout.size;
  if (counters->live_bytes > counters->peak_live_bytes)
    counters->peak_live_bytes = counters->live_bytes;
  if (end > counters->used_window)
    counters->used_window = end;
}

/* Any of 1 to 15 whose bit in `avoid` is not set, if there is one. */
static uint32_t random_tag(struct gasan_pool *pool, uint32_t avoid) {
  pool->random = pool->random * 6364136223846793005u + 1442695040888963407u;
  uint32_t tag = (uint32_t)(pool->random >> 33) % GASAN_TAG_RANDOM;
  for (uint32_t tries = 0; tries < GASAN_TAG_RANDOM && avoid >> (tag + 1) & 1; tries++)
    tag = (tag + 1) % GASAN_TAG_RANDOM;
  return tag + 1;
}

static uint32_t new_tag(struct gasan_pool *pool, const struct gasan_entry *entry) {
  uint32_t direct = gasan_tag_of_entry(entry->bst);
  return direct ? direct : random_tag(pool, gasan_records_tags_near(&pool->records, entry));
}

static struct gasan_status allocate_locked(struct gasan_pool *pool, struct gasan_entry *entry) {
  if (!gasan_space_could_fit(&pool->space, &entry->layout))
    return gasan_status_make(GASAN_ERR_OUT_OF_ADDRESSES);
  struct gasan_status status = place(pool, entry);
  if (is_short_of_something(status) && give_back(pool))
    status = place(pool, entry);
  if (!gasan_ok(status))
    return status;
  gasan_space_take(&pool->space, entry);
  pool->counters.reused += gasan_records_add(&pool->records, entry);
  if (pool->options.tags)
    entry->tag = new_tag(pool, entry);
  gasan_chunk_lookup_add(&pool->lookup, entry);
  count_allocation(pool, entry);
  entry->sequence = pool->counters.allocations;
  return status;
}

struct gasan_status gasan_pool_allocate(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                        uint64_t *address) {
  if (pool->moving)
    return gasan_moving_allocate(pool->moving, size, caller, address);
  if (size == 0)
    return gasan_status_make(GASAN_ERR_INVALID);
  if (size > pool->options.window_size)
    return gasan_status_make(GASAN_ERR_OUT_OF_MEMORY);
  struct gasan_entry *entry = calloc(1, sizeof *entry);
  if (!entry)
    return gasan_status_make(GASAN_ERR_OUT_OF_HOST_MEMORY);
  entry->layout = layout_of(pool, size);
  entry->allocated = caller;
  pthread_mutex_lock(&pool->lock);
  struct gasan_status status = allocate_locked(pool, entry);
  if (gasan_ok(status))
    *address = pointer_base(entry);
  pthread_mutex_unlock(&pool->lock);
  if (!gasan_ok(status))
    free(entry);
  return status;
}

static void copy_chunk(const struct gasan_pool *pool, const struct gasan_entry *entry, struct gasan_chunk *chunk) {
  *chunk = gasan_entry_chunk(entry, pointer_base(entry));
  if (entry->state != GASAN_ENTRY_RELEASED)
    gasan_space_distances(&pool->space, entry, &chunk->redzone_left, &chunk->redzone_right);
}

static void free_entry(struct gasan_pool *pool, struct gasan_entry *entry, struct gasan_pool_caller caller) {
  poison(pool, entry);
  gasan_chunk_lookup_kill(&pool->lookup, entry);
  entry->state = GASAN_ENTRY_QUARANTINED;
  entry->freed = caller;
  pool->counters.frees++;
  pool->counters.live_chunks--;
  pool->counters.live_bytes -= entry->layout.size;
}

static void add_dead(struct gasan_pool *pool, struct gasan_entry *entry) {
  leave_shadow(pool, entry);
  entry->state = GASAN_ENTRY_DEAD;
  gasan_quarantine_push(&pool->dead, entry);
}

/* Holds the quarantine to its size. A chunk that alone is greater must not push out all others on its way through. */
static void quarantine_entry(struct gasan_pool *pool, struct gasan_entry *entry) {
  bool large = entry->layout.large;
  if ((large || gasan_quarantine_charge(entry) > pool->options.quarantine_size) &&
      gasan_ok(release_memory(pool, entry))) {
    if (large)
      add_dead(pool, entry);
    else
      release_addresses(pool, entry);
    return;
  }
  gasan_quarantine_push(&pool->quarantine, entry);
  while (pool->quarantine.charge > pool->options.quarantine_size)
    if (!release_oldest(pool))
      break; /* the device failed; the next free tries the next one */
}

/* The chunk that explains the program's pointer best, or NULL. */
static struct gasan_entry *find_entry(struct gasan_pool *pool, uint64_t pointer) {
  struct gasan_entry *nearest = gasan_records_nearest(&pool->records, address_of(pool, pointer));
  uint32_t tag = tag_of(pool, pointer);
  struct gasan_entry *tagged = tag ? gasan_records_tagged(&pool->records, address_of(pool, pointer), tag) : NULL;
  return tagged ? tagged : nearest;
}

static enum gasan_pool_free_result free_locked(struct gasan_pool *pool, uint64_t pointer,
                                               struct gasan_pool_caller caller, struct gasan_chunk *chunk) {
  struct gasan_entry *entry = find_entry(pool, pointer);
  enum gasan_pool_free_result result = GASAN_POOL_NOT_A_CHUNK;
  if (entry && entry->base == address_of(pool, pointer) && is_of(entry, tag_of(pool, pointer)))
    result = entry->state == GASAN_ENTRY_LIVE ? GASAN_POOL_FREED : GASAN_POOL_DOUBLE_FREE;
  if (result == GASAN_POOL_FREED)
    free_entry(pool, entry, caller);
  if (entry && chunk)
    copy_chunk(pool, entry, chunk);
  if (result == GASAN_POOL_FREED)
    quarantine_entry(pool, entry);
  return result;
}

enum gasan_pool_free_result gasan_pool_free(struct gasan_pool *pool, uint64_t address, struct gasan_pool_caller caller,
                                            struct gasan_chunk *chunk) {
  if (pool->moving)
    return gasan_moving_free(pool->moving, address, caller, chunk);
  if (chunk)
    *chunk = (struct gasan_chunk){0};
  if (!gasan_pool_owns(pool, address))
    return GASAN_POOL_NOT_IN_WINDOW;
  pthread_mutex_lock(&pool->lock);
  enum gasan_pool_free_result result = free_locked(pool, address, caller, chunk);
  pthread_mutex_unlock(&pool->lock);
  return result;
}

bool gasan_pool_owns(const struct gasan_pool *pool, uint64_t address) {
  if (pool->moving)
    return gasan_moving_owns(pool->moving, address);
  return address_of(pool, address) - pool->window_base < pool->options.window_size;
}

bool gasan_pool_find(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk) {
  if (pool->moving)
    return gasan_moving_find(pool->moving, address, chunk);
  if (!gasan_pool_owns(pool, address))
    return false;
  pthread_mutex_lock(&pool->lock);
  struct gasan_entry *entry = find_entry(pool, address);
  if (entry)
    copy_chunk(pool, entry, chunk);
  pthread_mutex_unlock(&pool->lock);
  return entry != NULL;
}

bool gasan_pool_covers(struct gasan_pool *pool, uint64_t address, uint64_t size, uint64_t *fault) {
  if (pool->moving)
    return gasan_moving_covers(pool->moving, address, size, fault);
  if (size == 0)
    return true;
  *fault = address;
  pthread_mutex_lock(&pool->lock);
  struct gasan_entry *entry = gasan_records_holder(&pool->records, address_of(pool, address));
  bool covered = false;
  if (entry && entry->state == GASAN_ENTRY_LIVE && is_of(entry, tag_of(pool, address))) {
    *fault = address + (entry->base + entry->layout.size - address_of(pool, address));
    covered = size <= *fault - address;
  }
  pthread_mutex_unlock(&pool->lock);
  return covered;
}

void gasan_pool_each_live(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                          void *context) {
  if (pool->moving) {
    gasan_moving_each_live(pool->moving, visit, context);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  for (struct gasan_entry *entry = gasan_space_first(&pool->space); entry; entry = gasan_space_next(entry)) {
    if (entry->state != GASAN_ENTRY_LIVE)
      continue;
    struct gasan_chunk chunk;
    copy_chunk(pool, entry, &chunk);
    if (!visit(&chunk, context))
      break;
  }
  pthread_mutex_unlock(&pool->lock);
}

/* All pages of chunks that have their memory; neighbours share some. */
static struct gasan_status reach_peer(struct gasan_pool *pool, int peer, bool may) {
  uint64_t page_size = pool->pages.page_size, done = pool->window_base;
  struct gasan_status status = gasan_status_make(GASAN_OK);
  gasan_pages_trim(&pool->pages);
  for (struct gasan_entry *entry = gasan_space_first(&pool->space); entry && gasan_ok(status);
       entry = gasan_space_next(entry)) {
    uint64_t start = entry->base & ~(page_size - 1),
             end = gasan_round_up(entry->base + entry->layout.footprint, page_size);
    if (start < done)
      start = done;
    if (entry->state == GASAN_ENTRY_DEAD || start >= end)
      continue;
    status = pool->device->kind->reach_peer(pool->device, start, end - start, peer, may);
    done = end;
  }
  return status;
}

struct gasan_status gasan_pool_allow_peer(struct gasan_pool *pool, int peer, bool may) {
  const struct gasan_device_kind *kind = pool->device->kind;
  if (pool->moving || !kind->allow_peer)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  pthread_mutex_lock(&pool->lock);
  kind->allow_peer(pool->device, peer, may);
  struct gasan_status status = reach_peer(pool, peer, may);
  if (!gasan_ok(status) && may) {
    kind->allow_peer(pool->device, peer, false);
    (void)reach_peer(pool, peer, false); /* as far as the device lets us */
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}

bool gasan_pool_bounds(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds) {
  if (gasan_pool_translates(pool) || !pool->lookup.tables || !gasan_pool_owns(pool, address))
    return false;
  *bounds = gasan_tables_find(pool->lookup.tables, address);
  return true;
}

uint64_t gasan_pool_epoch(const struct gasan_pool *pool) {
  return pool->moving || !pool->lookup.tables ? 0 : gasan_tables_epoch(pool->lookup.tables);
}

struct gasan_status gasan_pool_flush(struct gasan_pool *pool) {
  if (pool->moving)
    return gasan_status_make(GASAN_OK);
  struct gasan_status status = pool->shadow ? gasan_shadow_flush(pool->shadow) : gasan_status_make(GASAN_OK);
  struct gasan_status flushed = gasan_chunk_lookup_flush(&pool->lookup);
  if (gasan_ok(flushed) && gasan_chunk_lookup_changed(&pool->lookup)) {
    pthread_mutex_lock(&pool->lock);
    flushed = gasan_chunk_lookup_write(&pool->lookup, &pool->space);
    pthread_mutex_unlock(&pool->lock);
  }
  return gasan_ok(status) ? flushed : status;
}

void gasan_pool_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters) {
  if (pool->moving) {
    gasan_moving_counters(pool->moving, counters);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  *counters = pool->counters;
  counters->quarantined_chunks = pool->quarantine.chunks;
  counters->quarantined_bytes = pool->quarantine.bytes;
  counters->mapped_bytes = pool->pages.mapped_bytes;
  counters->dead_chunks = pool->dead.chunks;
  counters->dead_bytes = pool->dead.bytes;
  counters->tables_bytes = gasan_chunk_lookup_memory(&pool->lookup);
  counters->tables_used = gasan_chunk_lookup_used(&pool->lookup);
  pthread_mutex_unlock(&pool->lock);
}
