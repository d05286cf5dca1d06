/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/allocation_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/map.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* The representation of a stream: its handle, or one of these values. A thread's default stream is the thread's number
 * plus a bit that no handle has. */
#define NONE 0u
#define LEGACY 1u
#define SEVERAL 2u
#define OF_THREAD (1ull << 63)

struct allocation {
  uint64_t stream;
  bool ends; /* its free is queued in a stream */
  struct gasan_map_entry by_base;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
GASAN_MAP(allocations, 12); /* by base */
static _Atomic uint64_t count, ending;
static _Atomic uint64_t only; /* the stream of all allocations, if they have the same */
static atomic_bool crossed;

static uint64_t key_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread)
    return OF_THREAD | gasan_thread_number();
  return !stream || stream == cudaStreamLegacy ? LEGACY : (uint64_t)(uintptr_t)stream;
}

static bool is_blocking(uint64_t key) {
  unsigned flags = 0;
  if (key == LEGACY || key & OF_THREAD)
    return true;
  return GASAN_REAL(cudaStreamGetFlags)((cudaStream_t)(uintptr_t)key, &flags) == cudaSuccess &&
         !(flags & cudaStreamNonBlocking);
}

/* Returns true if work in `stream` waits for all earlier work of the stream `own`. */
static bool are_ordered(uint64_t own, cudaStream_t stream) {
  uint64_t key = key_of(stream);
  if (own == NONE || own == SEVERAL)
    return false;
  return own == key || ((own == LEGACY || key == LEGACY) && is_blocking(own) && is_blocking(key));
}

/* Must be called with the lock. */
static struct allocation *find_locked(uint64_t base) {
  return GASAN_MAP_OWNER(gasan_map_find(&allocations, base), struct allocation, by_base);
}

static struct allocation find_allocation(uint64_t base) {
  pthread_mutex_lock(&lock);
  const struct allocation *allocation = find_locked(base);
  struct allocation found = allocation ? *allocation : (struct allocation){.stream = NONE};
  pthread_mutex_unlock(&lock);
  return found;
}

static void set_allocation(uint64_t base, uint64_t stream, bool ends) {
  pthread_mutex_lock(&lock);
  struct allocation *allocation = find_locked(base);
  if (!allocation) {
    allocation = calloc(1, sizeof *allocation);
    GASAN_CHECK(allocation && "no memory to note a stream");
    gasan_map_insert(&allocations, &allocation->by_base, base);
    atomic_fetch_add(&count, 1);
  }
  atomic_fetch_add(&ending, (uint64_t)ends - allocation->ends);
  allocation->stream = stream;
  allocation->ends = ends;
  uint64_t before = atomic_load(&only);
  atomic_store(&only, before == NONE || before == stream ? stream : SEVERAL);
  pthread_mutex_unlock(&lock);
}

void gasan_allocation_stream_set(uint64_t base, cudaStream_t stream) {
  set_allocation(base, key_of(stream), false);
}

void gasan_allocation_stream_will_free(uint64_t base, cudaStream_t stream) {
  struct allocation allocation = find_allocation(base);
  if (!are_ordered(allocation.stream, stream))
    atomic_store(&crossed, true);
  set_allocation(base, allocation.stream, true);
}

void gasan_allocation_stream_forget(uint64_t base) {
  if (!atomic_load(&count))
    return;
  pthread_mutex_lock(&lock);
  struct allocation *allocation = GASAN_MAP_OWNER(gasan_map_remove(&allocations, base), struct allocation, by_base);
  if (allocation) {
    atomic_fetch_sub(&ending, allocation->ends);
    atomic_fetch_sub(&count, 1);
  }
  pthread_mutex_unlock(&lock);
  free(allocation);
}

bool gasan_allocation_stream_is_crossed(void) {
  return atomic_load_explicit(&crossed, memory_order_relaxed);
}

bool gasan_allocation_stream_matters(cudaStream_t stream) {
  return atomic_load(&count) && (atomic_load(&ending) || atomic_load(&only) != key_of(stream));
}

bool gasan_allocation_stream_lasts(uint64_t base, cudaStream_t stream) {
  struct allocation allocation = find_allocation(base);
  return !allocation.ends && (allocation.stream == NONE || are_ordered(allocation.stream, stream));
}
