/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/foreign.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The greatest number of records of freed ranges whose memory was returned to CUDA. They explain double frees. */
#define MOST_GIVEN_BACK 4096u

struct record {
  struct gasan_foreign range;
  struct record *next; /* in a queue of freed ranges */
};

struct queue {
  struct record *first, **end;
  uint64_t count, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record **records; /* by base, disjoint */
static size_t count, room;
static struct queue quarantined = {.end = &quarantined.first}, given_back = {.end = &given_back.first};
static uint64_t sequence;
static _Atomic uint64_t epoch;

uint64_t gasan_foreign_epoch(void) {
  return atomic_load_explicit(&epoch, memory_order_acquire);
}

static void push_record(struct queue *queue, struct record *record) {
  record->next = NULL;
  *queue->end = record;
  queue->end = &record->next;
  queue->count++;
  queue->bytes += record->range.chunk.size;
}

static void take_out(struct queue *queue, struct record *record) {
  struct record **link = &queue->first;
  while (*link != record)
    link = &(*link)->next;
  *link = record->next;
  if (!*link)
    queue->end = link;
  queue->count--;
  queue->bytes -= record->range.chunk.size;
}

static bool is_freed(const struct record *record) {
  return record->range.chunk.state == GASAN_CHUNK_FREED;
}

static struct queue *queue_of(const struct record *record) {
  return record->range.quarantined ? &quarantined : &given_back;
}

/* Returns the index of the first record that ends after the address. */
static size_t find_position(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct gasan_chunk *chunk = &records[middle]->range.chunk;
    if (chunk->base + chunk->size <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct record *find_holder(uint64_t address) {
  size_t at = find_position(address);
  return at < count && records[at]->range.chunk.base <= address ? records[at] : NULL;
}

static void remove_at(size_t at) {
  struct record *record = records[at];
  memmove(&records[at], &records[at + 1], (--count - at) * sizeof(struct record *));
  if (!is_freed(record) || record->range.quarantined)
    atomic_fetch_add(&epoch, 1);
  if (is_freed(record))
    take_out(queue_of(record), record);
  free(record);
}

static bool make_room(void) {
  if (count < room)
    return true;
  size_t more = room ? room * 2 : 64;
  struct record **larger = realloc(records, more * sizeof(struct record *));
  if (!larger)
    return false;
  records = larger;
  room = more;
  return true;
}

static _Atomic uint64_t added[16]; /* by the number of the kind's bit */

uint64_t gasan_foreign_added(enum gasan_foreign_kind kind) {
  return added[__builtin_ctz(kind)];
}

void gasan_foreign_add(enum gasan_foreign_kind kind, const void *base, size_t size, struct gasan_pool_caller caller) {
  gasan_foreign_add_with_canary(kind, base, size, 0, 0, caller);
}

void gasan_foreign_add_with_canary(enum gasan_foreign_kind kind, const void *base, size_t size, uint32_t canary,
                                   uint64_t number, struct gasan_pool_caller caller) {
  uint64_t start = (uint64_t)(uintptr_t)base;
  pthread_mutex_lock(&lock);
  size_t at = find_position(start);
  while (at < count && records[at]->range.chunk.base < start + size)
    remove_at(at);
  struct record *record = make_room() ? calloc(1, sizeof *record) : NULL;
  if (record) {
    record->range = (struct gasan_foreign){.kind = kind,
                                           .number = number,
                                           .chunk = {.base = start,
                                                     .size = size,
                                                     .canary_right = canary,
                                                     .state = GASAN_CHUNK_LIVE,
                                                     .sequence = ++sequence,
                                                     .api = caller.api,
                                                     .allocation_stack = caller.stack,
                                                     .allocation_thread = caller.thread}};
    memmove(&records[at + 1], &records[at], (count++ - at) * sizeof(struct record *));
    records[at] = record;
    atomic_fetch_add(&epoch, 1);
    added[__builtin_ctz(kind)] += !canary;
  }
  pthread_mutex_unlock(&lock);
}

bool gasan_foreign_find(const void *address, struct gasan_foreign *range) {
  pthread_mutex_lock(&lock);
  const struct record *record = find_holder((uint64_t)(uintptr_t)address);
  if (record)
    *range = record->range;
  pthread_mutex_unlock(&lock);
  return record != NULL;
}

bool gasan_foreign_explain(uint64_t base, uint64_t size, uint64_t fault, struct gasan_foreign *range) {
  if (!gasan_foreign_find((const void *)(uintptr_t)base, range))
    return false;
  bool joined = size > range->chunk.size, open_ended = range->kind & GASAN_FOREIGN_OPEN_ENDED;
  struct gasan_foreign behind;
  uint64_t end = base + size;
  if (joined && fault >= end && gasan_foreign_find((const void *)(uintptr_t)(end - 1), &behind) &&
      (behind.kind != range->kind || !open_ended)) {
    *range = behind;
    joined = false;
  }
  /* Adjacent registered ranges are one object on the device. */
  if (joined && open_ended)
    range->chunk.size = size;
  return true;
}

static enum gasan_foreign_end may_end(const struct record *record, uint64_t base, uint32_t kinds) {
  if (!record)
    return GASAN_FOREIGN_NOT_KNOWN;
  bool begins = record->range.chunk.base == base;
  if (is_freed(record))
    return begins ? GASAN_FOREIGN_FREED : GASAN_FOREIGN_NOT_KNOWN;
  if (!begins)
    return GASAN_FOREIGN_INTERIOR;
  return record->range.kind & kinds ? GASAN_FOREIGN_ENDED : GASAN_FOREIGN_OTHER_KIND;
}

static void forget_oldest_given_back(void) {
  while (given_back.count > MOST_GIVEN_BACK)
    remove_at(find_position(given_back.first->range.chunk.base));
}

static void end_record(struct record *record, struct gasan_pool_caller caller, bool quarantine) {
  record->range.chunk.state = GASAN_CHUNK_FREED;
  record->range.chunk.free_stack = caller.stack;
  record->range.chunk.free_thread = caller.thread;
  record->range.quarantined = quarantine;
  push_record(queue_of(record), record);
  atomic_fetch_add(&epoch, 1);
}

enum gasan_foreign_end gasan_foreign_end(const void *base, uint32_t kinds, struct gasan_pool_caller caller,
                                         bool quarantine, struct gasan_foreign *range) {
  uint64_t start = (uint64_t)(uintptr_t)base;
  pthread_mutex_lock(&lock);
  struct record *record = find_holder(start);
  enum gasan_foreign_end end = may_end(record, start, kinds);
  if (end != GASAN_FOREIGN_NOT_KNOWN)
    *range = record->range;
  if (end == GASAN_FOREIGN_ENDED) {
    end_record(record, caller, quarantine);
    forget_oldest_given_back();
  }
  pthread_mutex_unlock(&lock);
  return end;
}

void gasan_foreign_end_inside(const void *base, size_t size, uint32_t kinds, struct gasan_pool_caller caller) {
  uint64_t start = (uint64_t)(uintptr_t)base;
  pthread_mutex_lock(&lock);
  for (size_t at = find_position(start); at < count && records[at]->range.chunk.base < start + size; at++) {
    const struct gasan_foreign *range = &records[at]->range;
    bool inside = range->chunk.base >= start && range->chunk.base + range->chunk.size <= start + size;
    if (inside && range->kind & kinds && !is_freed(records[at]))
      end_record(records[at], caller, false);
  }
  forget_oldest_given_back();
  pthread_mutex_unlock(&lock);
}

void gasan_foreign_revive(const void *base) {
  pthread_mutex_lock(&lock);
  struct record *record = find_holder((uint64_t)(uintptr_t)base);
  if (record && is_freed(record)) {
    take_out(queue_of(record), record);
    record->range.chunk.state = GASAN_CHUNK_LIVE;
    record->range.chunk.free_stack = record->range.chunk.free_thread = 0;
    record->range.quarantined = false;
    atomic_fetch_add(&epoch, 1);
  }
  pthread_mutex_unlock(&lock);
}

bool gasan_foreign_excess(uint64_t limit, struct gasan_foreign *range) {
  pthread_mutex_lock(&lock);
  bool any = quarantined.bytes > limit;
  if (any) {
    struct record *record = quarantined.first;
    *range = record->range;
    take_out(&quarantined, record);
    record->range.quarantined = false;
    push_record(&given_back, record);
    atomic_fetch_add(&epoch, 1);
    forget_oldest_given_back();
  }
  pthread_mutex_unlock(&lock);
  return any;
}

void gasan_foreign_forget(uint32_t kinds) {
  pthread_mutex_lock(&lock);
  for (size_t at = count; at-- > 0;)
    if (records[at]->range.kind & kinds)
      remove_at(at);
  pthread_mutex_unlock(&lock);
}

void gasan_foreign_forget_at(const void *address) {
  uint64_t start = (uint64_t)(uintptr_t)address;
  pthread_mutex_lock(&lock);
  if (find_holder(start))
    remove_at(find_position(start));
  pthread_mutex_unlock(&lock);
}

static void visit_ranges(bool quarantined_too, void (*visit)(const struct gasan_foreign *range, void *context),
                         void *context) {
  pthread_mutex_lock(&lock);
  for (size_t at = 0; at < count; at++)
    if (!is_freed(records[at]) || (quarantined_too && records[at]->range.quarantined))
      visit(&records[at]->range, context);
  pthread_mutex_unlock(&lock);
}

void gasan_foreign_each(void (*visit)(const struct gasan_foreign *range, void *context), void *context) {
  visit_ranges(true, visit, context);
}

void gasan_foreign_each_live(void (*visit)(const struct gasan_foreign *range, void *context), void *context) {
  visit_ranges(false, visit, context);
}
