#include "gasan_rt/memory/ordered.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/cuda_pool.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/allocate.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "gasan_rt/memory/upload.h"

#define EXPORT __attribute__((visibility("default")))

struct event {
  cudaEvent_t handle;
  int ordinal; /* of the device that was current when it was made */
};

struct pending {
  struct gasan_rt_device *owner;
  struct gasan_pool_caller caller;
  struct gasan_chunk chunk; /* as it will be: freed */
  cudaStream_t stream;
  struct event event;
  bool waited; /* in vain */
  struct pending *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending *list, **list_end = &list;
static _Atomic int pending_count;
static struct pending *spare; /* with their events, to be used again */

static bool any_pending(void) {
  return atomic_load_explicit(&pending_count, memory_order_acquire) > 0 && !gasan_capture_active();
}

/* "Not ready" is an error that CUDA notes; the program must not see ours, nor miss its own. */
static bool is_done(const struct pending *pending) {
  cudaError_t before = GASAN_REAL(cudaPeekAtLastError)();
  if (GASAN_REAL(cudaEventQuery)(pending->event.handle) != cudaErrorNotReady)
    return true;
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

/* Streams that have not come to their first free: the later ones need not be asked for. */
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

void gasan_ordered_poll(void) {
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
    gasan_memory_free_now(done->owner, done->caller, done->chunk.base);
    gasan_upload_soon(done->owner);
    keep_spare(done);
    done = next;
  }
}

/* The legacy stream waits for others and others for it. */
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

static void settle(cudaStream_t stream, bool all) {
  if (!any_pending())
    return;
  gasan_ordered_poll();
  int naps = gasan_options()->report_wait_ms * 20;
  for (int i = 0; i < naps && any_ahead(stream, all, false); i++) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    gasan_ordered_poll();
  }
  any_ahead(stream, all, true);
}

void gasan_ordered_settle(cudaStream_t stream) {
  settle(stream, false);
}

void gasan_ordered_settle_all(void) {
  settle(NULL, true);
}

bool gasan_ordered_find(uint64_t address, struct gasan_chunk *chunk) {
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

void gasan_ordered_forget(uint64_t address) {
  gasan_home_forget(address);
  gasan_cuda_pool_gave_back(address);
}

/* An entry whose event belongs to the current device; NULL: there is no event to be had. */
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

/* False: the stream is another device's, or has failed, and the caller waits instead. */
static bool free_later(struct gasan_rt_device *owner, struct gasan_pool_caller caller, struct gasan_chunk chunk,
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

static bool is_handle(cudaStream_t stream) {
  return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

/* CUDA's own error for a handle that is no stream. */
static cudaError_t check_stream(cudaStream_t stream) {
  unsigned flags;
  return is_handle(stream) ? GASAN_REAL(cudaStreamGetFlags)(stream, &flags) : cudaSuccess;
}

static cudaError_t free_in_pool(struct gasan_rt_device *owner, const char *api, void *pointer, cudaStream_t stream) {
  cudaError_t error = check_stream(stream);
  if (error != cudaSuccess)
    return error;
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_chunk chunk;
  gasan_ordered_poll();
  if (gasan_ordered_find(address, &chunk) && chunk.base == address)
    return gasan_report_double_free(owner, &caller, address, &chunk) ? gasan_set_error(cudaErrorInvalidValue) : cudaSuccess;
  bool right = gasan_pool_find(owner->pool, address, &chunk) && chunk.base == address && chunk.state == GASAN_CHUNK_LIVE;
  if (right)
    gasan_home_ends(address, stream);
  if (right && !gasan_capture_active() && free_later(owner, caller, chunk, stream)) {
    gasan_ordered_poll();
    return cudaSuccess;
  }
  return gasan_memory_free(owner, api, pointer);
}

/* CUDA's own memory; what it refuses is explained. */
static cudaError_t free_foreign(const char *api, void *pointer, cudaStream_t stream, gasan_ordered_free_function real,
                                bool captured) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (captured || !state || !state->pool || check_stream(stream) != cudaSuccess)
    return real(pointer, stream);
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  struct gasan_foreign range;
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  enum gasan_foreign_end end = gasan_foreign_end(pointer, GASAN_FOREIGN_POOLED | GASAN_FOREIGN_DRIVER, caller, false, &range);
  cudaError_t error = real(pointer, stream);
  if (error != cudaSuccess && end == GASAN_FOREIGN_ENDED)
    gasan_foreign_revive(pointer);
  if (error == cudaSuccess && end == GASAN_FOREIGN_ENDED) {
    gasan_home_ends(address, stream);
    gasan_home_forget(address);
  }
  if (error == cudaSuccess || !pointer || end == GASAN_FOREIGN_ENDED)
    return error;
  /* What memory is known to be explains any refusal; of unknown memory only CUDA's word for a wrong pointer counts. */
  if (end != GASAN_FOREIGN_FREED && end != GASAN_FOREIGN_OTHER_KIND && error != cudaErrorInvalidValue)
    return error;
  if (end == GASAN_FOREIGN_FREED)
    gasan_report_double_free(state, &caller, address, &range.chunk);
  else if (end == GASAN_FOREIGN_OTHER_KIND)
    gasan_report_mismatch(state, &caller, address, &range.chunk);
  else
    gasan_report_bad_free(state, &caller, address, end == GASAN_FOREIGN_INTERIOR ? &range.chunk : NULL);
  return error;
}

cudaError_t gasan_ordered_free(const char *api, void *pointer, cudaStream_t stream, cudaStream_t meant,
                               gasan_ordered_free_function real) {
  gasan_rt_kind();
  struct gasan_rt_device *owner = pointer ? gasan_rt_owner(pointer) : NULL;
  if (owner)
    return free_in_pool(owner, api, pointer, meant);
  return free_foreign(api, pointer, stream, real, gasan_capture_in(meant));
}

#define FREE_ASYNC(name, as_called)                                                                  \
  EXPORT cudaError_t name(void *pointer, cudaStream_t stream);                                       \
  EXPORT cudaError_t name(void *pointer, cudaStream_t stream) {                                      \
    return gasan_ordered_free(#name, pointer, stream, as_called(stream), GASAN_REAL(name));          \
  }
FREE_ASYNC(cudaFreeAsync, GASAN_AS_CALLED)
FREE_ASYNC(cudaFreeAsync_ptsz, GASAN_AS_CALLED_ptsz)

/* The device whose pool serves the call; NULL: CUDA's own does. *pool NULL: the stream's device's current one. */
static struct gasan_rt_device *server(cudaMemPool_t *pool, cudaStream_t stream) {
  int ordinal = gasan_rt_kind()->current();
  gasan_rt_current(); /* opens it */
  if (gasan_capture_in(stream) || check_stream(stream) != cudaSuccess)
    return NULL;
  if (!*pool && is_handle(stream) && GASAN_REAL(cudaStreamGetDevice)(stream, &ordinal) != cudaSuccess)
    return NULL;
  if (!*pool && GASAN_REAL(cudaDeviceGetMemPool)(pool, ordinal) != cudaSuccess)
    return NULL;
  if (!gasan_cuda_pool_is_ours(*pool, &ordinal) || ordinal < 0 || ordinal >= GASAN_RT_DEVICES)
    return NULL;
  struct gasan_rt_device *state = gasan_rt_device(ordinal);
  return state && state->pool ? state : NULL;
}

static cudaError_t allocate(struct gasan_rt_device *state, const char *api, void **pointer, size_t size, cudaMemPool_t pool,
                            cudaStream_t stream) {
  cudaError_t error = gasan_memory_allocate(state, api, pointer, size);
  if (error != cudaSuccess)
    return error;
  gasan_cuda_pool_took(pool, (uint64_t)(uintptr_t)*pointer, size);
  gasan_home_allocated((uint64_t)(uintptr_t)*pointer, stream);
  return error;
}

static cudaError_t noted(cudaError_t error, const char *api, void **pointer, size_t size, cudaStream_t stream, bool captured) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (error == cudaSuccess && !captured && state && state->pool && *pointer) {
    gasan_home_allocated((uint64_t)(uintptr_t)*pointer, stream);
    gasan_foreign_add(GASAN_FOREIGN_POOLED, *pointer, size, gasan_memory_caller(api));
  }
  return error;
}

#define MALLOC_ASYNC(name, as_called, parameters, arguments, given)                      \
  EXPORT cudaError_t name parameters;                                                    \
  EXPORT cudaError_t name parameters {                                                   \
    cudaMemPool_t pool = given;                                                          \
    struct gasan_rt_device *state = pointer && size ? server(&pool, as_called(stream)) : NULL; \
    if (state)                                                                           \
      return allocate(state, #name, pointer, size, pool, as_called(stream));             \
    return noted(GASAN_REAL(name) arguments, #name, pointer, size, as_called(stream),    \
                 !pointer || !size || gasan_capture_in(as_called(stream)));              \
  }
#define MALLOC_FROM_STREAM(name, as_called) \
  MALLOC_ASYNC(name, as_called, (void **pointer, size_t size, cudaStream_t stream), (pointer, size, stream), NULL)
MALLOC_FROM_STREAM(cudaMallocAsync, GASAN_AS_CALLED)
MALLOC_FROM_STREAM(cudaMallocAsync_ptsz, GASAN_AS_CALLED_ptsz)
/* A NULL handle is CUDA's to refuse. */
#define MALLOC_FROM_POOL(name, as_called)                                                                            \
  MALLOC_ASYNC(name, as_called, (void **pointer, size_t size, cudaMemPool_t from, cudaStream_t stream),              \
               (pointer, size, from, stream), from ? from : (cudaMemPool_t)-1)
MALLOC_FROM_POOL(cudaMallocFromPoolAsync, GASAN_AS_CALLED)
MALLOC_FROM_POOL(cudaMallocFromPoolAsync_ptsz, GASAN_AS_CALLED_ptsz)
