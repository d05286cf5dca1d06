#include "gasan_rt/memory/allocation_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define BUCKETS 4096u

/* A stream: its handle, or one of these; a thread's default stream has a bit that no handle has, and the thread's number. */
#define NONE 0u
#define LEGACY 1u
#define SEVERAL 2u
#define OF_THREAD (1ull << 63)

struct home {
  uint64_t base, stream;
  bool ends; /* its free is in the stream's queue */
  struct home *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct home *buckets[BUCKETS];
static _Atomic uint64_t count, ending;
static _Atomic uint64_t only; /* the home of all memory so far */
static atomic_bool left;

static uint64_t key_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread)
    return OF_THREAD | gasan_thread_number();
  return !stream || stream == cudaStreamLegacy ? LEGACY : (uint64_t)(uintptr_t)stream;
}

static bool is_blocking(uint64_t key) {
  unsigned flags = 0;
  if (key == LEGACY || key & OF_THREAD)
    return true;
  return GASAN_REAL(cudaStreamGetFlags)((cudaStream_t)(uintptr_t)key, &flags) == cudaSuccess && !(flags & cudaStreamNonBlocking);
}

/* Does work in one wait for all work that the other got before? */
static bool are_ordered(uint64_t home, cudaStream_t stream) {
  uint64_t key = key_of(stream);
  if (home == NONE || home == SEVERAL)
    return false;
  return home == key || ((home == LEGACY || key == LEGACY) && is_blocking(home) && is_blocking(key));
}

static struct home **link_of(uint64_t base) {
  struct home **link = &buckets[(base >> 8) * 0x9e3779b97f4a7c15u >> 52];
  while (*link && (*link)->base != base)
    link = &(*link)->next;
  return link;
}

static struct home find(uint64_t base) {
  pthread_mutex_lock(&lock);
  const struct home *home = *link_of(base);
  struct home found = home ? *home : (struct home){.base = base, .stream = NONE};
  pthread_mutex_unlock(&lock);
  return found;
}

static void set(struct home wanted) {
  pthread_mutex_lock(&lock);
  struct home **link = link_of(wanted.base), *home = *link;
  if (!home) {
    home = calloc(1, sizeof *home);
    GASAN_CHECK(home && "no memory to note a stream");
    *link = home;
    atomic_fetch_add(&count, 1);
  }
  atomic_fetch_add(&ending, (uint64_t)wanted.ends - home->ends);
  wanted.next = home->next;
  *home = wanted;
  uint64_t before = atomic_load(&only);
  atomic_store(&only, before == NONE || before == wanted.stream ? wanted.stream : SEVERAL);
  pthread_mutex_unlock(&lock);
}

void gasan_home_allocated(uint64_t base, cudaStream_t stream) {
  set((struct home){.base = base, .stream = key_of(stream)});
}

void gasan_home_ends(uint64_t base, cudaStream_t stream) {
  struct home home = find(base);
  if (!are_ordered(home.stream, stream))
    atomic_store(&left, true);
  home.ends = true;
  set(home);
}

void gasan_home_forget(uint64_t base) {
  if (!atomic_load(&count))
    return;
  pthread_mutex_lock(&lock);
  struct home **link = link_of(base), *home = *link;
  if (home) {
    *link = home->next;
    atomic_fetch_sub(&ending, home->ends);
    atomic_fetch_sub(&count, 1);
  }
  pthread_mutex_unlock(&lock);
  free(home);
}

bool gasan_home_is_left(void) {
  return atomic_load_explicit(&left, memory_order_relaxed);
}

bool gasan_home_matters(cudaStream_t stream) {
  return atomic_load(&count) && (atomic_load(&ending) || atomic_load(&only) != key_of(stream));
}

bool gasan_home_lasts(uint64_t base, cudaStream_t stream) {
  struct home home = find(base);
  return !home.ends && (home.stream == NONE || are_ordered(home.stream, stream));
}
