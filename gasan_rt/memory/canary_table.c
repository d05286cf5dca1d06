/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/canary_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/memory/device_memory.h"

/* Naps of a removal before it waits for the whole device. */
#define NAPS 20
#define NAP_NS 10000

/* The host's side of two strips, those on the left and the right of one chunk. */
struct owner {
  uint64_t chunk;  /* base; 0: not in use */
  uint64_t number; /* of the chunk, from 1 */
  uint64_t checks; /* retired: checks begun until then, plus 1; 0: not retired */
  uint32_t next;   /* of the unused ones, or of those with the same hash, plus 1 */
};

#define BUCKETS 4096u

struct gasan_canaries {
  struct gasan_canary_table *table; /* in host memory that kernels see */
  uint64_t table_address, arrived;
  uint64_t key;
  pthread_mutex_t lock;
  struct owner *owners;
  uint32_t capacity, used; /* owners; `used` of them have ever been in use */
  uint32_t unused, buckets[BUCKETS];
  struct gasan_canary_strip *segments[GASAN_CANARY_SEGMENTS]; /* host addresses */
  _Atomic uint64_t chunks, checks;                            /* counts */
};

static struct gasan_canaries *canaries_of(const struct gasan_rt_device *state) {
  return state->memory ? atomic_load_explicit(&state->memory->canaries, memory_order_acquire) : NULL;
}

static struct gasan_canaries *create(struct gasan_rt_device *state, uint64_t key) {
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_canaries *canaries = calloc(1, sizeof *canaries);
  if (!canaries)
    return NULL;
  canaries->key = key;
  pthread_mutex_init(&canaries->lock, NULL);
  if (gasan_ok(kind->host_alloc(state->device, sizeof *canaries->table, (void **)&canaries->table,
                                &canaries->table_address)) &&
      gasan_ok(kind->device_alloc(state->device, GASAN_CANARY_CHECKS * sizeof(uint32_t), &canaries->arrived)))
    return canaries;
  free(canaries);
  return NULL;
}

/* Returns the device's canaries, which are created if needed; NULL: there is no memory. */
static struct gasan_canaries *open_canaries(struct gasan_rt_device *state, uint64_t key) {
  static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
  struct gasan_canaries *canaries = canaries_of(state);
  if (canaries)
    return canaries;
  pthread_mutex_lock(&open_lock);
  canaries = canaries_of(state);
  if (!canaries) {
    canaries = create(state, key);
    atomic_store_explicit(&state->memory->canaries, canaries, memory_order_release);
  }
  pthread_mutex_unlock(&open_lock);
  return canaries;
}

static uint32_t *bucket_of(struct gasan_canaries *canaries, uint64_t chunk) {
  return &canaries->buckets[chunk * 0x9e3779b97f4a7c15ull >> 52];
}

static struct owner *find_owner(struct gasan_canaries *canaries, uint64_t chunk) {
  uint32_t at = *bucket_of(canaries, chunk);
  while (at && canaries->owners[at - 1].chunk != chunk)
    at = canaries->owners[at - 1].next;
  return at ? &canaries->owners[at - 1] : NULL;
}

static struct gasan_canary_strip *strips_of(struct gasan_canaries *canaries, uint32_t owner) {
  uint32_t first = 2 * owner;
  return &canaries->segments[first / GASAN_CANARY_SEGMENT][first % GASAN_CANARY_SEGMENT];
}

/* Makes room for one more owner. */
static bool grow(struct gasan_rt_device *state, struct gasan_canaries *canaries) {
  uint32_t segment = canaries->capacity * 2 / GASAN_CANARY_SEGMENT;
  if (canaries->unused || canaries->used < canaries->capacity)
    return true;
  if (segment == GASAN_CANARY_SEGMENTS)
    return false;
  uint32_t more = canaries->capacity + GASAN_CANARY_SEGMENT / 2;
  struct owner *owners = realloc(canaries->owners, more * sizeof *owners);
  if (owners)
    canaries->owners = owners;
  uint64_t address;
  if (!owners ||
      !gasan_ok(state->device->kind->host_alloc(state->device, GASAN_CANARY_SEGMENT * sizeof(struct gasan_canary_strip),
                                                (void **)&canaries->segments[segment], &address)))
    return false;
  __atomic_store_n(&canaries->table->segments[segment], address, __ATOMIC_RELEASE);
  canaries->capacity = more;
  return true;
}

static uint32_t take_unused(struct gasan_canaries *canaries) {
  uint32_t owner = canaries->unused ? canaries->unused - 1 : canaries->used++;
  if (canaries->unused)
    canaries->unused = canaries->owners[owner].next;
  return owner;
}

static void set_strip(struct gasan_canary_strip *strip, uint64_t address, uint64_t size) {
  __atomic_store_n(&strip->address, address, __ATOMIC_RELAXED);
  __atomic_store_n(&strip->size, size, __ATOMIC_RELEASE);
}

void gasan_canary_table_add(struct gasan_rt_device *state, const struct gasan_chunk *chunk, uint64_t key) {
  struct gasan_canaries *canaries = open_canaries(state, key);
  if (!canaries)
    return;
  pthread_mutex_lock(&canaries->lock);
  if (grow(state, canaries)) {
    uint32_t owner = take_unused(canaries);
    uint32_t *bucket = bucket_of(canaries, chunk->base);
    canaries->owners[owner] = (struct owner){chunk->base, atomic_fetch_add(&canaries->chunks, 1) + 1, 0, *bucket};
    *bucket = owner + 1;
    struct gasan_canary_strip *strips = strips_of(canaries, owner);
    set_strip(&strips[0], chunk->base - chunk->canary_left, chunk->canary_left);
    set_strip(&strips[1], chunk->base + chunk->size, chunk->canary_right);
    if (canaries->table->strips < 2ull * canaries->used)
      __atomic_store_n(&canaries->table->strips, 2ull * canaries->used, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&canaries->lock);
}

uint64_t gasan_canary_table_count(struct gasan_rt_device *state, uint64_t key) {
  struct gasan_canaries *canaries = open_canaries(state, key);
  return canaries ? atomic_fetch_add(&canaries->chunks, 1) + 1 : 0;
}

/* Checks that begin from now on do not see the strips. Returns the number of the latest one that may. */
static uint64_t retire(struct gasan_canaries *canaries, struct owner *owner) {
  struct gasan_canary_strip *strips = strips_of(canaries, (uint32_t)(owner - canaries->owners));
  if (!owner->checks) {
    __atomic_store_n(&strips[0].size, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&strips[1].size, 0, __ATOMIC_SEQ_CST);
    owner->checks = atomic_load(&canaries->checks) + 1;
  }
  return owner->checks - 1;
}

/* Takes the owner from its bucket, but does not yet give it to others. Returns its index; -1: there is none. */
static int64_t take_out(struct gasan_canaries *canaries, uint64_t chunk, uint64_t *check) {
  uint32_t *link = bucket_of(canaries, chunk);
  while (*link && canaries->owners[*link - 1].chunk != chunk)
    link = &canaries->owners[*link - 1].next;
  if (!*link)
    return -1;
  uint32_t owner = *link - 1;
  *link = canaries->owners[owner].next;
  *check = retire(canaries, &canaries->owners[owner]);
  canaries->owners[owner] = (struct owner){0, 0, 0, 0};
  return owner;
}

/* Waits until no check up to this one is in flight. Usually the caller has just waited for the device. A check that
 * has begun may not have reached the device yet, so one wait for the device is not enough. */
static void wait_for_checks(struct gasan_rt_device *state, uint64_t last) {
  if (gasan_canary_table_finished_until(state, last))
    return;
  gasan_canary_table_stop(state);
  for (int i = 0; !gasan_canary_table_finished_until(state, last); i++) {
    nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    if (i >= NAPS && !gasan_ok(state->device->kind->synchronize(state->device)))
      break; /* the device has failed */
  }
  gasan_canary_table_resume(state);
}

bool gasan_canary_table_retire(struct gasan_rt_device *state, uint64_t chunk) {
  struct gasan_canaries *canaries = canaries_of(state);
  if (!canaries)
    return true;
  pthread_mutex_lock(&canaries->lock);
  struct owner *owner = find_owner(canaries, chunk);
  const uint64_t check = owner ? retire(canaries, owner) : 0;
  pthread_mutex_unlock(&canaries->lock);
  return gasan_canary_table_finished_until(state, check);
}

void gasan_canary_table_remove(struct gasan_rt_device *state, uint64_t chunk) {
  struct gasan_canaries *canaries = canaries_of(state);
  uint64_t check;
  if (!canaries)
    return;
  pthread_mutex_lock(&canaries->lock);
  int64_t owner = take_out(canaries, chunk, &check);
  pthread_mutex_unlock(&canaries->lock);
  if (owner < 0)
    return;
  wait_for_checks(state, check);
  pthread_mutex_lock(&canaries->lock);
  canaries->owners[owner].next = canaries->unused;
  canaries->unused = (uint32_t)owner + 1;
  pthread_mutex_unlock(&canaries->lock);
}

uint64_t gasan_canary_table_chunks(const struct gasan_rt_device *state) {
  struct gasan_canaries *canaries = canaries_of(state);
  return canaries ? atomic_load(&canaries->chunks) : 0;
}

bool gasan_canary_table_find(struct gasan_rt_device *state, uint64_t address, uint64_t *chunk, uint64_t *number) {
  struct gasan_canaries *canaries = canaries_of(state);
  bool found = false;
  if (!canaries)
    return false;
  pthread_mutex_lock(&canaries->lock);
  for (uint32_t i = 0; i < canaries->used && !found; i++) {
    const struct gasan_canary_strip *strips = strips_of(canaries, i);
    found = address - strips[0].address < strips[0].size || address - strips[1].address < strips[1].size;
    if (found) {
      *chunk = canaries->owners[i].chunk;
      *number = canaries->owners[i].number;
    }
  }
  pthread_mutex_unlock(&canaries->lock);
  return found;
}

uint64_t gasan_canary_table_number(struct gasan_rt_device *state, uint64_t chunk) {
  struct gasan_canaries *canaries = canaries_of(state);
  if (!canaries)
    return 0;
  pthread_mutex_lock(&canaries->lock);
  const struct owner *owner = find_owner(canaries, chunk);
  uint64_t number = owner ? owner->number : 0;
  pthread_mutex_unlock(&canaries->lock);
  return number;
}

bool gasan_canary_table_stop(struct gasan_rt_device *state) {
  struct gasan_canaries *canaries = canaries_of(state);
  if (canaries)
    __atomic_fetch_add(&canaries->table->stop, 1, __ATOMIC_SEQ_CST);
  return canaries;
}

void gasan_canary_table_resume(struct gasan_rt_device *state) {
  struct gasan_canaries *canaries = canaries_of(state);
  if (canaries)
    __atomic_fetch_sub(&canaries->table->stop, 1, __ATOMIC_SEQ_CST);
}

/* Copies the strips that are in use. Returns false if they are more than `few` has room for. */
static bool copy_strips(struct gasan_canaries *canaries, uint64_t few[GASAN_CANARY_FEW], uint64_t *count) {
  *count = 0;
  pthread_mutex_lock(&canaries->lock);
  const bool fits = 2ull * canaries->used <= GASAN_CANARY_FEW;
  for (uint32_t owner = 0; fits && owner < canaries->used; owner++)
    for (int side = 0; side < 2; side++) {
      const struct gasan_canary_strip *strip = &strips_of(canaries, owner)[side];
      if (strip->size)
        few[(*count)++] = strip->address << 16 | strip->size;
    }
  pthread_mutex_unlock(&canaries->lock);
  return fits;
}

bool gasan_canary_table_begin(struct gasan_rt_device *state, uint64_t limit, struct gasan_canary_check *check,
                              bool *few) {
  struct gasan_canaries *canaries = canaries_of(state);
  uint64_t strips = canaries ? __atomic_load_n(&canaries->table->strips, __ATOMIC_ACQUIRE) : 0;
  if (!strips || (limit && __atomic_load_n(&canaries->table->stop, __ATOMIC_SEQ_CST)))
    return false;
  uint64_t number = atomic_load(&canaries->checks) + 1;
  if (number > GASAN_CANARY_CHECKS && !gasan_canary_table_finished(state, number - GASAN_CANARY_CHECKS))
    return false;
  /* Before the strips are read, so that a removal from now on waits for the check. */
  atomic_store(&canaries->checks, number);
  check->table = canaries->table_address;
  check->arrived = canaries->arrived;
  check->number = number;
  check->key = canaries->key;
  check->limit = limit;
  *few = !limit && copy_strips(canaries, check->few, &check->strips);
  if (!*few)
    check->strips = __atomic_load_n(&canaries->table->strips, __ATOMIC_ACQUIRE);
  return true;
}

void gasan_canary_table_cancel(struct gasan_rt_device *state, const struct gasan_canary_check *check) {
  struct gasan_canaries *canaries = canaries_of(state);
  atomic_store(&canaries->checks, check->number - 1);
}

uint64_t gasan_canary_table_latest(const struct gasan_rt_device *state) {
  struct gasan_canaries *canaries = canaries_of(state);
  return canaries ? atomic_load(&canaries->checks) : 0;
}

bool gasan_canary_table_finished(const struct gasan_rt_device *state, uint64_t number) {
  struct gasan_canaries *canaries = canaries_of(state);
  return __atomic_load_n(&canaries->table->finished[number % GASAN_CANARY_CHECKS], __ATOMIC_ACQUIRE) >= number;
}

/* A check may finish before one with a smaller number in another stream. */
bool gasan_canary_table_finished_until(const struct gasan_rt_device *state, uint64_t last) {
  uint64_t latest = gasan_canary_table_latest(state);
  uint64_t first = latest < GASAN_CANARY_CHECKS ? 1 : latest - GASAN_CANARY_CHECKS + 1;
  for (uint64_t number = last; number >= first && number; number--)
    if (!gasan_canary_table_finished(state, number))
      return false;
  return true;
}

uint64_t gasan_canary_table_damage(const struct gasan_rt_device *state, uint64_t *address) {
  struct gasan_canaries *canaries = canaries_of(state);
  if (!canaries || !__atomic_load_n(&canaries->table->found_by, __ATOMIC_RELAXED))
    return 0;
  *address = __atomic_load_n(&canaries->table->found_at, __ATOMIC_ACQUIRE);
  return *address ? __atomic_load_n(&canaries->table->found_by, __ATOMIC_RELAXED) : 0;
}

void gasan_canary_table_forget(struct gasan_rt_device *state) {
  struct gasan_canaries *canaries = canaries_of(state);
  __atomic_store_n(&canaries->table->found_at, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&canaries->table->found_by, 0, __ATOMIC_RELEASE);
}
