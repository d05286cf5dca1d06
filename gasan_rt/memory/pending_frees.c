/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/pending_frees.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/release.h"
#include "gasan_rt/memory/suballocators.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"

struct event {
  cudaEvent_t handle;
  int ordinal; /* of the device that was current when the event was made */
};

struct pending {
  struct gasan_rt_device *owner;
  struct gasan_pool_caller caller;
  struct gasan_chunk chunk; /* as freed */
  cudaStream_t stream;
  struct event event;
  bool waited; /* a settle waited without success */
  struct pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending *list, **list_end = &list;
static _Atomic int pending_count;
static struct pending *spare; /* entries with events, for reuse */

static bool any_pending(void) {
  return atomic_load_explicit(&pending_count, memory_order_acquire) > 0 && !gasan_capture_active();
}

/* Returns true if the stream has reached the free, and no check of canaries reads the memory. A check may be behind a
 * kernel that ends only when this thread goes on, so it is not waited for. cudaErrorNotReady counts as the thread's
 * last error, so the program's last error is restored afterwards. */
static bool is_done(const struct pending *pending) {
  cudaError_t before = GASAN_REAL(cudaPeekAtLastError)();
  if (GASAN_REAL(cudaEventQuery)(pending->event.handle) != cudaErrorNotReady)
    return gasan_canary_retire(pending->owner, pending->chunk.base);
  GASAN_REAL(cudaGetLastError)();
  gasan_set_error(before);
  return false;
}

static void keep_spare(struct pending *pending) {
  pthread_mutex_lock(&lock);
  pending->next = spare;
  spare = pending;
  pthread_mutex_unlock(&lock);
}

/* Streams whose first pending free is not done yet; their later frees need no query. */
struct behind {
  cudaStream_t streams[16];
  unsigned count;
};

static bool is_behind(const struct behind *behind, cudaStream_t stream) {
  for (unsigned i = 0; i < behind->count; i++)
    if (behind->streams[i] == stream)
      return true;
  return false;
}

static void note_behind(struct behind *behind, cudaStream_t stream) {
  if (behind->count < sizeof behind->streams / sizeof behind->streams[0])
    behind->streams[behind->count++] = stream;
}

void gasan_pending_frees_poll(void) {
  gasan_suballocators_poll();
  if (!any_pending())
    return;
  struct behind behind = {.count = 0};
  struct pending *done = NULL, **done_end = &done;
  pthread_mutex_lock(&lock);
  for (struct pending **link = &list; *link;) {
    struct pending *pending = *link;
    bool asked = !is_behind(&behind, pending->stream);
    if (!asked || !is_done(pending)) {
      if (asked)
        note_behind(&behind, pending->stream);
      link = &pending->next;
      continue;
    }
    *link = pending->next;
    if (!*link)
      list_end = link;
    pending->next = NULL;
    *done_end = pending;
    done_end = &pending->next;
    atomic_fetch_sub(&pending_count, 1);
  }
  pthread_mutex_unlock(&lock);
  while (done) {
    struct pending *next = done->next;
    gasan_memory_release(done->owner, done->caller, done->chunk.base);
    gasan_upload_soon(done->owner);
    keep_spare(done);
    done = next;
  }
}

/* Returns true if the free comes before work in the stream. The legacy stream waits for all other streams, and they
 * wait for it. */
static bool is_ahead(const struct pending *pending, cudaStream_t stream, bool all) {
  bool legacy = !stream || stream == cudaStreamLegacy || !pending->stream || pending->stream == cudaStreamLegacy;
  return !pending->waited && (all || legacy || pending->stream == stream);
}

static bool any_ahead(cudaStream_t stream, bool all, bool give_up) {
  bool any = false;
  pthread_mutex_lock(&lock);
  for (struct pending *pending = list; pending; pending = pending->next)
    if (is_ahead(pending, stream, all)) {
      any = true;
      pending->waited = give_up;
    }
  pthread_mutex_unlock(&lock);
  return any;
}

static void settle_frees(cudaStream_t stream, bool all) {
  if (!any_pending())
    return;
  gasan_pending_frees_poll();
  int naps = gasan_options()->report_wait_ms * 20;
  for (int i = 0; i < naps && any_ahead(stream, all, false); i++) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    gasan_pending_frees_poll();
  }
  any_ahead(stream, all, true);
}

void gasan_pending_frees_settle(cudaStream_t stream) {
  gasan_suballocators_settle();
  settle_frees(stream, false);
}

void gasan_pending_frees_settle_all(void) {
  settle_frees(NULL, true);
}

bool gasan_pending_frees_find(uint64_t address, struct gasan_chunk *chunk) {
  if (atomic_load_explicit(&pending_count, memory_order_acquire) == 0)
    return false;
  bool found = false;
  pthread_mutex_lock(&lock);
  for (const struct pending *pending = list; pending && !found; pending = pending->next) {
    found = address >= pending->chunk.base && address - pending->chunk.base < pending->chunk.size;
    if (found)
      *chunk = pending->chunk;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

/* Returns an entry whose event belongs to the current device, or NULL if CUDA has no event. */
static struct pending *new_pending(void) {
  int ordinal = gasan_rt_kind()->current();
  pthread_mutex_lock(&lock);
  struct pending **link = &spare;
  while (*link && (*link)->event.ordinal != ordinal)
    link = &(*link)->next;
  struct pending *pending = *link;
  if (pending)
    *link = pending->next;
  pthread_mutex_unlock(&lock);
  if (pending)
    return pending;
  pending = calloc(1, sizeof *pending);
  if (!pending)
    return NULL;
  pending->event.ordinal = ordinal;
  if (GASAN_REAL(cudaEventCreateWithFlags)(&pending->event.handle, cudaEventDisableTiming) == cudaSuccess)
    return pending;
  free(pending);
  return NULL;
}

bool gasan_pending_frees_add(struct gasan_rt_device *owner, struct gasan_pool_caller caller, struct gasan_chunk chunk,
                             cudaStream_t stream) {
  struct pending *pending = new_pending();
  if (!pending)
    return false;
  if (GASAN_REAL(cudaEventRecord)(pending->event.handle, stream) != cudaSuccess) {
    keep_spare(pending);
    return false;
  }
  chunk.state = GASAN_CHUNK_FREED;
  chunk.free_stack = caller.stack;
  chunk.free_thread = caller.thread;
  *pending = (struct pending){owner, caller, chunk, stream, pending->event, false, NULL};
  pthread_mutex_lock(&lock);
  *list_end = pending;
  list_end = &pending->next;
  atomic_fetch_add(&pending_count, 1);
  pthread_mutex_unlock(&lock);
  return true;
}
