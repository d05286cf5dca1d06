/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP */
#include "gasan_rt/memory/canary.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "gasan_rt/core/door.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/memory/canary_table.h"

static uint64_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* Without random bytes, the time is better than a constant. */
static void make_key(void) {
  if (getrandom(&key, sizeof key, GRND_NONBLOCK) != sizeof key)
    key = (uint64_t)time(NULL) * 0x9e3779b97f4a7c15ull;
}

/* Read: an allocation whose canaries are not written yet. A waiting writer goes first, so that threads that allocate
 * all the time do not keep it waiting. */
static pthread_rwlock_t unwritten = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

void gasan_canary_begin(void) {
  if (gasan_door_is_open())
    pthread_rwlock_rdlock(&unwritten);
}

void gasan_canary_end(void) {
  if (gasan_door_is_open())
    pthread_rwlock_unlock(&unwritten);
}

bool gasan_canaries_are_on(const struct gasan_rt_device *state) {
  pthread_once(&key_once, make_key);
  return gasan_door_is_open() && state->pool;
}

uint64_t gasan_canary_key(void) {
  return key;
}

/* A canary beside a chunk. */
struct strip {
  uint64_t base;
  uint32_t size;
};

static struct strip left_of(const struct gasan_chunk *chunk) {
  return (struct strip){chunk->base - chunk->canary_left, chunk->canary_left};
}

static struct strip right_of(const struct gasan_chunk *chunk) {
  return (struct strip){chunk->base + chunk->size, chunk->canary_right};
}

static void write_strip(struct gasan_device *device, struct strip strip) {
  uint8_t bytes[GASAN_POOL_MOST_CANARY];
  for (uint32_t i = 0; i < strip.size; i++)
    bytes[i] = gasan_canary_byte(key, strip.base + i);
  if (strip.size)
    (void)device->kind->write(device, strip.base, bytes, strip.size);
}

/* Returns true if the strip is damaged; then sets *first and *last to its damaged bytes. */
static bool is_damaged(struct gasan_device *device, struct strip strip, uint64_t *first, uint64_t *last) {
  uint8_t bytes[GASAN_POOL_MOST_CANARY];
  bool damaged = false;
  if (!strip.size || !gasan_ok(device->kind->read(device, bytes, strip.base, strip.size)))
    return false;
  for (uint32_t i = 0; i < strip.size; i++)
    if (bytes[i] != gasan_canary_byte(key, strip.base + i)) {
      *first = damaged ? *first : strip.base + i;
      *last = strip.base + i;
      damaged = true;
    }
  return damaged;
}

static bool find_damage(struct gasan_device *device, const struct gasan_chunk *chunk, uint64_t *first, uint64_t *last) {
  return is_damaged(device, right_of(chunk), first, last) || is_damaged(device, left_of(chunk), first, last);
}

static bool find_live(struct gasan_rt_device *state, uint64_t address, struct gasan_chunk *chunk) {
  return gasan_canaries_are_on(state) && gasan_pool_find(state->pool, address, chunk) && chunk->base == address &&
         chunk->state == GASAN_CHUNK_LIVE;
}

void gasan_canary_write(struct gasan_rt_device *state, uint64_t address) {
  struct gasan_chunk chunk;
  if (!find_live(state, address, &chunk))
    return;
  write_strip(state->device, left_of(&chunk));
  write_strip(state->device, right_of(&chunk));
  gasan_canary_table_add(state, &chunk, key);
}

/* Mends the canaries before the report, so that a neighbour does not report them again. */
static void report(struct gasan_rt_device *state, const struct gasan_chunk *chunk, uint64_t first, uint64_t last,
                   const struct gasan_pool_caller *caller) {
  write_strip(state->device, left_of(chunk));
  write_strip(state->device, right_of(chunk));
  gasan_rt_hooks()->damaged(state, &(struct gasan_canary_damage){
                                       .chunk = chunk,
                                       .number = gasan_canary_table_number(state, chunk->base),
                                       .first = first,
                                       .last = last,
                                       .caller = caller,
                                   });
}

void gasan_canary_check(struct gasan_rt_device *state, const struct gasan_pool_caller *caller, uint64_t address) {
  struct gasan_chunk chunk;
  uint64_t first, last;
  if (find_live(state, address, &chunk) && find_damage(state->device, &chunk, &first, &last))
    report(state, &chunk, first, last, caller);
}

bool gasan_canary_mend(struct gasan_rt_device *state, uint64_t address, struct gasan_chunk *chunk, uint64_t *first,
                       uint64_t *last) {
  if (!find_live(state, address, chunk) || !find_damage(state->device, chunk, first, last))
    return false;
  write_strip(state->device, left_of(chunk));
  write_strip(state->device, right_of(chunk));
  return true;
}

bool gasan_canary_retire(struct gasan_rt_device *state, uint64_t address) {
  return !gasan_canaries_are_on(state) || gasan_canary_table_retire(state, address);
}

void gasan_canary_remove(struct gasan_rt_device *state, uint64_t address) {
  if (gasan_canaries_are_on(state))
    gasan_canary_table_remove(state, address);
}

struct search {
  struct gasan_device *device;
  struct gasan_chunk chunk;
  uint64_t first, last;
  bool found;
};

static bool visit(const struct gasan_chunk *chunk, void *context) {
  struct search *search = context;
  search->found = find_damage(search->device, chunk, &search->first, &search->last);
  search->chunk = *chunk;
  return !search->found;
}

void gasan_canary_check_all(struct gasan_rt_device *state) {
  struct search search = {.device = state->device};
  struct timespec limit;
  if (!gasan_canaries_are_on(state))
    return;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 10;
  /* A signal handler may end the process inside of an allocation. */
  if (pthread_rwlock_timedwrlock(&unwritten, &limit) != 0) {
    gasan_rt_warn("canaries were not compared at the end of the process, because an allocation has not returned");
    return;
  }
  gasan_pool_each_live(state->pool, visit, &search);
  pthread_rwlock_unlock(&unwritten);
  if (search.found)
    report(state, &search.chunk, search.first, search.last, NULL);
}
