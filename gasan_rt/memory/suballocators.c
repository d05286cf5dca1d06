/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/suballocators.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/peers.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define MOST_MESSAGES 20

/* A free, and the work that one device had then. */
struct lingering {
  struct gasan_rt_device *owner; /* of the pool */
  struct gasan_rt_device *state; /* the owner, or a device that may use the owner's pool */
  uint64_t ticket;               /* the same for all devices */
  uint64_t launches;             /* begun until the free */
  void *mark;                    /* of the device's work; NULL: none yet */
  bool is_marked;
  bool waited; /* a launch waited without success */
  struct lingering *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lingering *list, **list_end = &list; /* oldest first */
static struct lingering *spare;                    /* with marks, for reuse */
static _Atomic int lingering_count;
static uint64_t last_ticket;

static uint64_t launches_of(struct gasan_rt_device *state) {
  return atomic_load(&state->memory->launches_begun);
}

/* Returns true if the device certainly has no work that may use a region. */
static bool has_no_work(struct gasan_rt_device *state) {
  if (!state->device->kind->mark_work)
    return state->device->kind->idle(state->device);
  return launches_of(state) == atomic_load(&state->memory->launches_complete) && !gasan_upload_may_miss_launches();
}

/* Must be called with the lock. Returns false if the device cannot mark its work now. */
static bool mark_work(struct lingering *entry) {
  const struct gasan_device_kind *kind = entry->state->device->kind;
  entry->is_marked =
      !kind->mark_work || (!gasan_capture_active() && gasan_ok(kind->mark_work(entry->state->device, &entry->mark)));
  return entry->is_marked;
}

static struct lingering *take_spare(struct gasan_rt_device *state) {
  for (struct lingering **link = &spare; *link; link = &(*link)->next)
    if ((*link)->state == state) {
      struct lingering *entry = *link;
      *link = entry->next;
      return entry;
    }
  struct lingering *entry = calloc(1, sizeof *entry);
  if (entry)
    entry->state = state;
  return entry;
}

/* Adds an entry to *entries for each device with work that may use the owner's pool. Returns false without host
 * memory. */
static bool add_users(struct gasan_rt_device *owner, struct lingering **entries) {
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *user = gasan_rt_device(i);
    if (!user || (user != owner && !gasan_peers_reach(user, owner->device->ordinal)) || has_no_work(user))
      continue;
    struct lingering *entry = take_spare(user);
    if (!entry)
      return false;
    entry->owner = owner;
    entry->next = *entries;
    *entries = entry;
  }
  return true;
}

/* Must be called after the memory became inaccessible: the marks then include all launches that could use it. */
static void note_lingering(struct lingering *entries, bool used) {
  pthread_mutex_lock(&lock);
  for (struct lingering *entry = entries, *next; entry; entry = next) {
    next = entry->next;
    entry->next = NULL;
    entry->waited = false;
    if (used) {
      entry->launches = launches_of(entry->state);
      mark_work(entry);
      *list_end = entry;
      list_end = &entry->next;
      atomic_fetch_add(&lingering_count, 1);
    } else {
      entry->next = spare;
      spare = entry;
    }
  }
  pthread_mutex_unlock(&lock);
}

/* Returns the ticket for memory that becomes inaccessible now; 0: no kernel may be using it. *entries is for
 * note_lingering. */
static uint64_t take_ticket(struct gasan_rt_device *owner, struct lingering **entries) {
  *entries = NULL;
  pthread_mutex_lock(&lock);
  bool complete = add_users(owner, entries);
  uint64_t ticket = complete && *entries ? ++last_ticket : 0;
  for (struct lingering *entry = *entries; entry; entry = entry->next)
    entry->ticket = ticket;
  pthread_mutex_unlock(&lock);
  if (complete)
    return ticket;
  note_lingering(*entries, false);
  *entries = NULL;
  return GASAN_TICKET_NEVER;
}

/* Does the same for a region: memory that was freed while a stream captured may be a graph's. */
static uint64_t take_region_ticket(struct gasan_rt_device *owner, struct lingering **entries) {
  *entries = NULL;
  return gasan_capture_active() ? GASAN_TICKET_NEVER : take_ticket(owner, entries);
}

/* Returns true if no entry of the list has the ticket. */
static bool is_last(uint64_t ticket) {
  pthread_mutex_lock(&lock);
  const struct lingering *entry = list;
  while (entry && entry->ticket != ticket)
    entry = entry->next;
  pthread_mutex_unlock(&lock);
  return !entry;
}

/* Without a mark, a wait of the program for the whole device shows that the work is complete. */
static bool is_done(struct lingering *entry) {
  const struct gasan_device_kind *kind = entry->state->device->kind;
  if (!kind->mark_work)
    return kind->idle(entry->state->device);
  if (atomic_load(&entry->state->memory->launches_complete) >= entry->launches && !gasan_upload_may_miss_launches())
    return true;
  return (entry->is_marked || mark_work(entry)) && kind->is_reached(entry->state->device, entry->mark);
}

/* Removes the entries that are done from the list, and returns them. A device's marks are reached in their order. */
static struct lingering *take_done(void) {
  struct lingering *done = NULL, **done_end = &done;
  uint64_t behind = 0; /* a bit for each device with an entry that is not done */
  pthread_mutex_lock(&lock);
  for (struct lingering **link = &list; *link;) {
    struct lingering *entry = *link;
    uint64_t bit = 1ull << entry->state->device->ordinal;
    if (behind & bit || !is_done(entry)) {
      behind |= bit;
      link = &entry->next;
      continue;
    }
    *link = entry->next;
    if (!*link)
      list_end = link;
    entry->next = NULL;
    *done_end = entry;
    done_end = &entry->next;
    atomic_fetch_sub(&lingering_count, 1);
  }
  pthread_mutex_unlock(&lock);
  return done;
}

static bool any_lingering(void) {
  return atomic_load_explicit(&lingering_count, memory_order_acquire) > 0 && !gasan_capture_active();
}

void gasan_suballocators_poll(void) {
  if (!any_lingering())
    return;
  for (struct lingering *done = take_done(), *next; done; done = next) {
    next = done->next;
    done->next = NULL;
    if (is_last(done->ticket)) {
      gasan_pool_settle(done->owner->pool, done->ticket);
      gasan_upload_soon(done->owner);
    }
    note_lingering(done, false);
  }
}

/* Returns true if the oldest entry is worth a wait. */
static bool is_worth_waiting(void) {
  pthread_mutex_lock(&lock);
  bool worth = list && !list->waited;
  pthread_mutex_unlock(&lock);
  return worth;
}

static void note_waited(void) {
  pthread_mutex_lock(&lock);
  for (struct lingering *entry = list; entry; entry = entry->next)
    entry->waited = true;
  pthread_mutex_unlock(&lock);
}

void gasan_suballocators_settle(void) {
  if (!any_lingering())
    return;
  gasan_suballocators_poll();
  int naps = gasan_options()->report_wait_ms * 20;
  for (int i = 0; i < naps && is_worth_waiting(); i++) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    gasan_suballocators_poll();
  }
  note_waited();
}

/* Writes "[BASE,END)", or the base only for size 0. */
static void write_range(char *text, size_t size, uint64_t base, uint64_t bytes) {
  if (bytes)
    snprintf(text, size, "[0x%012llx,0x%012llx)", (unsigned long long)base, (unsigned long long)(base + bytes));
  else
    snprintf(text, size, "0x%012llx", (unsigned long long)base);
}

/* Writes the reason for an error, and what to do. */
static void explain(enum gasan_region_result result, const char *range, const char *other,
                    const struct gasan_chunk *about, char *text, size_t size) {
  switch (result) {
  case GASAN_REGIONS_EMPTY:
    snprintf(text, size, "the size is 0; it must be at least 1");
    break;
  case GASAN_REGIONS_NOT_IN_CHUNK:
    snprintf(text, size, "%s is not in one live allocation of cudaMalloc or cudaMallocAsync that gasan made", range);
    break;
  case GASAN_REGIONS_NOT_IN_HEAP:
    snprintf(text, size, "%s is not in one registered heap; register the heap first. The allocation there is %s", range,
             other);
    break;
  case GASAN_REGIONS_OVERLAP:
    snprintf(text, size, "%s overlaps %s, which is registered; unregister that one first", range, other);
    break;
  case GASAN_REGIONS_NO_HEAP:
    snprintf(text, size, "no registered heap begins at %s", range);
    break;
  case GASAN_REGIONS_NO_REGION:
    if (!about->size)
      snprintf(text, size, "no region begins at %s, and none is near", range);
    else
      snprintf(text, size, "no registered region begins at %s; the nearest is %s, which is %s", range, other,
               about->state == GASAN_CHUNK_FREED ? "unregistered" : "registered");
    break;
  case GASAN_REGIONS_NOT_SUPPORTED:
    snprintf(text, size, "regions need pointers that are addresses, lookup=pagemap, and strict_temporal=0");
    break;
  case GASAN_REGIONS_NO_MEMORY:
    snprintf(text, size, "there is no memory for gasan's tables");
    break;
  case GASAN_REGIONS_OK:
    break;
  }
}

/* Prints a message about a call with an error. Returns the result. */
static enum gasan_region_result finish(const char *api, enum gasan_region_result result, const void *base, size_t size,
                                       const struct gasan_chunk *about) {
  static _Atomic int messages;
  char range[64], other[64], text[512];
  if (result == GASAN_REGIONS_OK)
    return result;
  int number = atomic_fetch_add(&messages, 1);
  if (number > MOST_MESSAGES)
    return result;
  write_range(range, sizeof range, (uint64_t)(uintptr_t)base, result == GASAN_REGIONS_NO_REGION ? 0 : size);
  write_range(other, sizeof other, about->base, about->size);
  explain(result, range, other, about, text, sizeof text);
  if (number == MOST_MESSAGES)
    gasan_rt_warn("further messages about calls with an error on heaps and regions are not printed");
  else
    gasan_rt_warn("%s has no effect: %s", api, text);
  return result;
}

/* Returns the device in whose pool the address is. NULL: there is none; *result says why. */
static struct gasan_rt_device *find_owner(const void *address, enum gasan_region_result *result) {
  struct gasan_rt_device *owner = gasan_rt_started() ? gasan_rt_owner(address) : NULL;
  *result = !owner                             ? GASAN_REGIONS_NOT_IN_CHUNK
            : gasan_options()->strict_temporal ? GASAN_REGIONS_NOT_SUPPORTED
                                               : GASAN_REGIONS_OK;
  return *result == GASAN_REGIONS_OK ? owner : NULL;
}

/* Prepares a change: reports new faults and ends lingering first, because the records of regions change. Returns as
 * find_owner. */
static struct gasan_rt_device *begin_change(const void *address, enum gasan_region_result *result) {
  struct gasan_rt_device *owner = find_owner(address, result);
  if (owner) {
    gasan_rt_hooks()->peek(owner);
    gasan_suballocators_poll();
  }
  return owner;
}

/* Waits a short time for the device's work, so that its faults are reported while the heap's records exist. */
static void finish_work(struct gasan_rt_device *owner) {
  struct lingering *entry;
  if (take_region_ticket(owner, &entry) && entry) {
    note_lingering(entry, true);
    gasan_suballocators_settle();
    gasan_rt_hooks()->peek(owner);
  }
}

static uint64_t address_of(const void *base) {
  return (uint64_t)(uintptr_t)base;
}

enum gasan_region_result gasan_suballocators_add_heap(const char *api, const void *base, size_t size) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    struct lingering *entry;
    uint64_t ticket = take_ticket(owner, &entry);
    result = gasan_pool_add_heap(owner->pool, address_of(base), size, ticket, &about);
    note_lingering(entry, result == GASAN_REGIONS_OK);
  }
  return finish(api, result, base, size, &about);
}

enum gasan_region_result gasan_suballocators_remove_heap(const char *api, const void *base) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    finish_work(owner);
    result = gasan_pool_remove_heap(owner->pool, address_of(base));
  }
  /* Running kernels may get a pointer to the memory. */
  if (result == GASAN_REGIONS_OK)
    (void)gasan_upload_new_chunk(owner);
  return finish(api, owner ? result : GASAN_REGIONS_NO_HEAP, base, 0, &about);
}

enum gasan_region_result gasan_suballocators_reset_heap(const char *api, const void *base) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    struct lingering *entry;
    struct gasan_pool_caller caller = gasan_memory_caller(api);
    uint64_t ticket = take_region_ticket(owner, &entry);
    result = gasan_pool_reset_heap(owner->pool, address_of(base), caller, ticket);
    note_lingering(entry, result == GASAN_REGIONS_OK);
  }
  return finish(api, owner ? result : GASAN_REGIONS_NO_HEAP, base, 0, &about);
}

enum gasan_region_result gasan_suballocators_add(const char *api, const void *base, size_t size) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    struct gasan_pool_caller caller = gasan_memory_caller(api);
    result = gasan_pool_add_region(owner->pool, address_of(base), size, gasan_capture_active(), caller, &about);
    if (result == GASAN_REGIONS_OK && !gasan_ok(gasan_upload_new_chunk(owner))) {
      gasan_pool_end_region(owner->pool, address_of(base), caller, 0, &about);
      result = GASAN_REGIONS_NO_MEMORY;
    }
  }
  return finish(api, result, base, size, &about);
}

enum gasan_region_result gasan_suballocators_resize(const char *api, const void *base, size_t size) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    struct lingering *entry;
    uint64_t ticket = take_region_ticket(owner, &entry);
    result = gasan_pool_resize_region(owner->pool, address_of(base), size, ticket, &about);
    note_lingering(entry, result == GASAN_REGIONS_OK);
    if (result == GASAN_REGIONS_OK)
      (void)gasan_upload_new_chunk(owner);
  }
  return finish(api, owner ? result : GASAN_REGIONS_NO_REGION, base, size, &about);
}

enum gasan_region_result gasan_suballocators_end(const char *api, const void *base) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = begin_change(base, &result);
  struct gasan_chunk about = {0};
  if (owner) {
    struct lingering *entry;
    struct gasan_pool_caller caller = gasan_memory_caller(api);
    uint64_t ticket = take_region_ticket(owner, &entry);
    result = gasan_pool_end_region(owner->pool, address_of(base), caller, ticket, &about);
    note_lingering(entry, result == GASAN_REGIONS_OK);
  }
  return finish(api, owner ? result : GASAN_REGIONS_NO_REGION, base, 0, &about);
}

enum gasan_region_result gasan_suballocators_find(const void *address, struct gasan_chunk *region) {
  enum gasan_region_result result;
  struct gasan_rt_device *owner = find_owner(address, &result);
  return owner ? gasan_pool_find_region(owner->pool, address_of(address), region) : result;
}
