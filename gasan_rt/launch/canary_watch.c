/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/canary_watch.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/suspects.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/canary_table.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/ipc.h"
#include "gasan_rt/report/report_canary.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* The budget: so many checks at once, then one each CHECK_US, which is 1 % of the time at 4 us for a check. */
#define BURST 16u
#define CHECK_US 400u

/* A guard that nobody stops delays calls that wait for the device without gasan's knowledge. */
#define GUARD_NS 20000000u
#define GUARD_THREADS 64u
/* Naps of the watcher until a guard that was stopped has ended. */
#define NAPS 20
#define NAP_NS 10000
#define NO_NAPS_US 1000u

#define THREADS 256u /* in a block: 8 warps, which compare a strip each */
#define MOST_BLOCKS 128u
#define MOST_CHECK_US 100000u /* that the host waits for a check */

extern const char gasan_canary_fatbin[], gasan_canary_ptx[]; /* canary_image.S */

/* IN_STREAM: behind all launches into the stream up to `launch`. GUARD: beside launches. AFTER_WAIT: when all launches
 * up to `launch` in all streams, and all checks up to `behind`, were complete; the host has waited for it. */
enum check_kind { IN_STREAM, GUARD, AFTER_WAIT };

/* A check, by number % GASAN_CANARY_CHECKS. Written under the gate and waits_lock. */
struct check {
  enum check_kind kind;
  uint64_t number; /* 0: none, or one that is not to be trusted */
  void *stream;
  uint64_t launch, behind;
};

/* A wait: when `check` was the latest check, all launches up to `launch` into the stream were complete. */
struct wait {
  void *stream;
  bool of_device; /* all streams */
  uint64_t launch, check;
};
#define WAITS 1024u

/* A mark of the device's work (device.h), for one wait at a time. */
struct mark {
  atomic_flag taken;
  void *work;
};
#define MARKS 16

struct gasan_canary_watch {
  const void *kernel, *kernel_few; /* NULL: the device cannot load them */
  _Atomic uint64_t budget;         /* checks; taken under the gate, refilled by the watcher */
  uint64_t refilled;               /* time of the latest refill, in us; the watcher's */
  _Atomic bool uncovered;
  _Atomic uint64_t guard; /* the latest one; 0: none */
  /* The latest launch, of a graph or not, and when the watcher has seen it last: so many rounds ago for the first time.
   */
  _Atomic bool graph;
  uint64_t seen_launch;
  unsigned seen_rounds;
  struct mark marks[MARKS];
  pthread_mutex_t waits_lock;
  struct wait waits[WAITS]; /* a ring */
  uint64_t wait_count;
  struct check checks[GASAN_CANARY_CHECKS];
};

static uint64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Must be called under the gate. */
static struct gasan_canary_watch *open_watch(struct gasan_rt_device *state) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (watch)
    return watch;
  watch = calloc(1, sizeof *watch);
  GASAN_CHECK(watch);
  pthread_mutex_init(&watch->waits_lock, NULL);
  watch->budget = BURST;
  watch->refilled = now_us();
  const struct gasan_device_kind *kind = state->device->kind;
  const void *kernels[2] = {NULL, NULL};
  static const char *const names[] = {"gasan_canary_check", "gasan_canary_check_few"};
  if (!kind->load || (!gasan_ok(kind->load(state->device, gasan_canary_fatbin, names, 2, kernels)) &&
                      !gasan_ok(kind->load(state->device, gasan_canary_ptx, names, 2, kernels))))
    gasan_rt_warn("the GPU does not take the kernel that compares canaries: they are compared at frees and at the end");
  watch->kernel = kernels[0];
  watch->kernel_few = kernels[1];
  state->launches->watch = watch;
  return watch;
}

/* Launches take no time from the clock: that costs as much as the rest of the launch log. */
static void refill_budget(struct gasan_canary_watch *watch) {
  const uint64_t refills = (now_us() - watch->refilled) / CHECK_US, room = BURST - atomic_load(&watch->budget);
  watch->refilled += refills * CHECK_US;
  atomic_fetch_add(&watch->budget, refills < room ? refills : room);
}

/* Must be called under the gate. */
static bool take_budget(struct gasan_canary_watch *watch) {
  if (gasan_options()->serialize)
    return true;
  if (!atomic_load_explicit(&watch->budget, memory_order_relaxed))
    return false;
  atomic_fetch_sub(&watch->budget, 1);
  return true;
}

static void note_check(struct gasan_canary_watch *watch, uint64_t number, const struct check *check) {
  pthread_mutex_lock(&watch->waits_lock);
  watch->checks[number % GASAN_CANARY_CHECKS] = *check;
  pthread_mutex_unlock(&watch->waits_lock);
}

/* Launches a check; its number is set. Must be called under the gate. */
static bool launch_check(struct gasan_rt_device *state, struct gasan_canary_watch *watch, struct check check) {
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_canary_check parameter;
  bool few;
  if (!watch->kernel || !gasan_canary_table_begin(state, check.kind == GUARD ? GUARD_NS : 0, &parameter, &few))
    return false;
  check.number = parameter.number;
  note_check(watch, parameter.number, &check);
  uint64_t blocks = (parameter.strips * 32 + THREADS - 1) / THREADS;
  const uint32_t grid[3] = {blocks < MOST_BLOCKS ? (uint32_t)blocks : MOST_BLOCKS, 1, 1}, block[3] = {THREADS, 1, 1};
  void *arguments[] = {&parameter};
  const void *kernel = few ? watch->kernel_few : watch->kernel;
  struct gasan_status status =
      check.kind == IN_STREAM
          ? kind->launch(state->device, kernel, grid, block, 0, check.stream, arguments)
          : kind->launch_aside(state->device, kernel, check.kind == GUARD ? GUARD_THREADS : THREADS, arguments);
  if (!gasan_ok(status)) {
    note_check(watch, parameter.number, &(struct check){.number = 0});
    gasan_canary_table_cancel(state, &parameter);
    return false;
  }
  gasan_launch_log_count_own(state);
  return true;
}

static bool is_on(const struct gasan_rt_device *state) {
  return state->memory && atomic_load_explicit(&state->memory->canaries, memory_order_relaxed) &&
         gasan_options()->canary[0] != 'f'; /* free */
}

static bool has_guard(const struct gasan_rt_device *state, const struct gasan_canary_watch *watch) {
  const uint64_t guard = atomic_load_explicit(&watch->guard, memory_order_relaxed);
  return guard && !gasan_canary_table_finished(state, guard);
}

/* Leaves the driver's lock to the watcher for a while. */
static void nap(void) {
  nanosleep(&(struct timespec){0, NAP_NS}, NULL);
}

/* Between two queries of a wait that began at `start`. The watcher launches no guard before a kernel has run for two of
 * its rounds, and a nap takes 60 us, so short waits have none. */
static void nap_in_wait(uint64_t start) {
  if (now_us() - start > NO_NAPS_US)
    nap();
}

static bool guards(void) {
  return gasan_options()->canary[0] == 'g'; /* guard */
}

/* Waits for the work that all streams have now. Does not wait if the driver cannot mark it. */
static void wait_for_work(struct gasan_rt_device *state, struct gasan_canary_watch *watch) {
  const struct gasan_device_kind *kind = state->device->kind;
  for (int i = 0; i < MARKS; i++) {
    struct mark *mark = &watch->marks[i];
    if (atomic_flag_test_and_set(&mark->taken))
      continue;
    if (kind->mark_work && gasan_ok(kind->mark_work(state->device, &mark->work)))
      for (const uint64_t start = now_us(); !kind->is_reached(state->device, mark->work);)
        nap_in_wait(start);
    atomic_flag_clear(&mark->taken);
    return;
  }
}

/* While a thread waits inside the driver, the watcher cannot launch a guard. So the wait for the program's kernels is
 * here. */
bool gasan_canary_watch_wait_begins(struct gasan_rt_device *state) {
  struct gasan_canary_watch *watch = state->launches ? state->launches->watch : NULL;
  if (!watch || !guards())
    return false;
  if (!gasan_capture_active())
    wait_for_work(state, watch);
  return has_guard(state, watch) && gasan_canary_table_stop(state);
}

void gasan_canary_watch_wait_ended(struct gasan_rt_device *state, bool begun) {
  if (begun)
    gasan_canary_table_resume(state);
}

/* Returns true if the latest launch is a kernel that was there two rounds ago. Beside a guard, short kernels start
 * later: the kernels of graphs took 1.24 times as long. */
static bool runs_long(struct gasan_canary_watch *watch) {
  const uint64_t latest = gasan_launch_latest();
  watch->seen_rounds = latest == watch->seen_launch ? watch->seen_rounds + 1 : 0;
  watch->seen_launch = latest;
  return watch->seen_rounds >= 2 && !atomic_load(&watch->graph);
}

static pthread_mutex_t keep_lock = PTHREAD_MUTEX_INITIALIZER;
static bool keeps_ended; /* under keep_lock: the process ends, and the driver may be gone */

static void keep_guard(struct gasan_rt_device *state, struct gasan_canary_watch *watch) {
  /* In this order: a query of the driver delays launches of other threads. */
  const bool busy = runs_long(watch) && !state->device->kind->idle(state->device);
  if (busy == has_guard(state, watch) || !gasan_launch_hold())
    return;
  if (busy && launch_check(state, watch, (struct check){.kind = GUARD}))
    atomic_store(&watch->guard, gasan_canary_table_latest(state));
  else if (!busy && gasan_canary_table_stop(state)) {
    for (int i = 0; i < NAPS && has_guard(state, watch); i++)
      nap();
    gasan_canary_table_resume(state);
  }
  gasan_launch_release();
}

void gasan_canary_watch_keep(struct gasan_rt_device *state) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (watch)
    refill_budget(watch);
  if (!watch || !guards())
    return;
  pthread_mutex_lock(&keep_lock);
  if (!keeps_ended && !gasan_capture_active())
    keep_guard(state, watch);
  pthread_mutex_unlock(&keep_lock);
}

void gasan_canary_watch_end(void) {
  pthread_mutex_lock(&keep_lock);
  keeps_ended = true;
  pthread_mutex_unlock(&keep_lock);
}
/* A launch into the legacy stream ends captures of other streams. */
static void cover(struct gasan_rt_device *state, void *stream) {
  struct gasan_canary_watch *watch = state->launches->watch;
  const bool may = !gasan_capture_active() && take_budget(watch);
  const bool covered =
      may &&
      launch_check(state, watch, (struct check){.kind = IN_STREAM, .stream = stream, .launch = gasan_launch_latest()});
  if (atomic_load_explicit(&watch->uncovered, memory_order_relaxed) == covered)
    atomic_store(&watch->uncovered, !covered);
}

void gasan_canary_watch_launches(struct gasan_rt_device *state) {
  if (is_on(state))
    open_watch(state);
}

void gasan_canary_watch_launched(struct gasan_rt_device *state, void *stream, bool graph) {
  if (!is_on(state) || !state->launches->watch)
    return;
  atomic_store_explicit(&state->launches->watch->graph, graph, memory_order_relaxed);
  cover(state, stream);
}

/* Waits for the work that the stream has now. The program's last error stays as it is: cudaErrorNotReady would replace
 * it. */
static void wait_for_stream(void *stream) {
  cudaEvent_t event;
  cudaError_t before = GASAN_REAL(cudaPeekAtLastError)();
  if (GASAN_REAL(cudaEventCreateWithFlags)(&event, cudaEventDisableTiming) != cudaSuccess)
    return;
  if (GASAN_REAL(cudaEventRecord)(event, stream) == cudaSuccess)
    for (const uint64_t start = now_us(); GASAN_REAL(cudaEventQuery)(event) == cudaErrorNotReady;)
      nap_in_wait(start);
  GASAN_REAL(cudaEventDestroy)(event);
  GASAN_REAL(cudaGetLastError)();
  gasan_set_error(before);
}

/* Returns the latest launch that CUDA has surely got. */
static uint64_t latest_made(void) {
  if (!gasan_launch_hold())
    return gasan_launch_latest() - 1; /* one at most is being made */
  const uint64_t launch = gasan_launch_latest();
  gasan_launch_release();
  return launch;
}

uint64_t gasan_canary_watch_waits(struct gasan_rt_device *state, void *stream) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (!watch)
    return 0;
  if (atomic_load_explicit(&watch->uncovered, memory_order_relaxed)) {
    gasan_launch_begin();
    cover(state, stream);
    gasan_launch_release();
  }
  const uint64_t launch = latest_made();
  /* An event in the legacy stream would order all others. */
  if (guards() && stream && stream != cudaStreamLegacy && !gasan_capture_active())
    wait_for_stream(stream);
  return launch;
}

static void note_wait(struct gasan_canary_watch *watch, struct wait wait) {
  pthread_mutex_lock(&watch->waits_lock);
  watch->waits[watch->wait_count++ % WAITS] = wait;
  pthread_mutex_unlock(&watch->waits_lock);
}

void gasan_canary_watch_waited(struct gasan_rt_device *state, void *stream, uint64_t launch) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (watch && launch)
    note_wait(watch, (struct wait){stream, false, launch, gasan_canary_table_latest(state)});
}

uint64_t gasan_canary_watch_device_waits(struct gasan_rt_device *state) {
  return state->launches->watch ? latest_made() : 0;
}

/* Compares now, as all is complete. In a stream of gasan's own: a check in the legacy stream would order all others. */
static void check_after_wait(struct gasan_rt_device *state, struct gasan_canary_watch *watch, uint64_t launch,
                             uint64_t behind) {
  gasan_launch_begin();
  if (take_budget(watch) &&
      launch_check(state, watch, (struct check){.kind = AFTER_WAIT, .launch = launch, .behind = behind})) {
    atomic_store(&watch->uncovered, false);
    const uint64_t number = gasan_canary_table_latest(state), start = now_us();
    while (!gasan_canary_table_finished(state, number) && now_us() - start < MOST_CHECK_US)
      ;
  }
  gasan_launch_release();
}

void gasan_canary_watch_device_waited(struct gasan_rt_device *state, uint64_t launch) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (!watch || !launch)
    return;
  const uint64_t behind = gasan_canary_table_latest(state);
  note_wait(watch, (struct wait){NULL, true, launch, behind});
  if (atomic_load_explicit(&watch->uncovered, memory_order_relaxed) && !gasan_capture_active())
    check_after_wait(state, watch, launch, behind);
}

/* The next stream may get the same handle. A number of its own takes the place of the old one. */
static void rename_stream(struct gasan_rt_device *state, void *stream, void *token) {
  struct gasan_canary_watch *watch = state->launches->watch;
  if (!watch)
    return;
  pthread_mutex_lock(&watch->waits_lock);
  for (uint32_t i = 0; i < GASAN_CANARY_CHECKS; i++)
    if (watch->checks[i].stream == stream)
      watch->checks[i].stream = token;
  for (uint32_t i = 0; i < WAITS; i++)
    if (watch->waits[i].stream == stream)
      watch->waits[i].stream = token;
  pthread_mutex_unlock(&watch->waits_lock);
}

void gasan_canary_watch_forget_stream(void *stream) {
  static _Atomic uintptr_t tokens = 1;
  void *token = (void *)(atomic_fetch_add(&tokens, 1) << 1 | 1); /* handles are pointers, so they are even */
  gasan_launch_log_rename_stream(stream, token);
  for (int i = 0; i < GASAN_RT_DEVICES; i++)
    if (gasan_rt_device(i))
      rename_stream(gasan_rt_device(i), stream, token);
}

/* Damage: in a canary of the chunk with this number, found by the check; check 0: by the host, while no kernel ran. */
struct damage {
  const struct gasan_rt_device *state;
  struct gasan_canary_watch *watch;
  uint64_t chunk, check;
  uint64_t last_clean; /* the latest check that certainly came before the damage; 0: none */
};

/* Each thread has its own cudaStreamPerThread. */
static bool same_stream(const void *a, const void *b) {
  return a == b && a != cudaStreamPerThread;
}

static const struct check *finder_of(const struct damage *damage) {
  return damage->check ? &damage->watch->checks[damage->check % GASAN_CANARY_CHECKS] : NULL;
}

/* Returns true if the check certainly came before the damage: it came before the check that found it, in its stream, or
 * both were guards, which run one after the other, or the host has waited in between; or the host found the damage,
 * after all checks. */
static bool came_before(const struct gasan_rt_device *state, const struct check *check, const struct damage *damage) {
  const struct check *finder = finder_of(damage);
  if (!check->number || (finder && check->number >= finder->number))
    return false;
  if (!finder)
    return gasan_canary_table_finished(state, check->number);
  if (check->kind == AFTER_WAIT || finder->kind == AFTER_WAIT)
    return check->kind == AFTER_WAIT || check->number <= finder->behind;
  return check->kind == finder->kind && (check->kind == GUARD || same_stream(check->stream, finder->stream));
}

static void find_last_clean(const struct gasan_rt_device *state, struct damage *damage) {
  for (uint32_t i = 0; damage->watch && i < GASAN_CANARY_CHECKS; i++) {
    const struct check *check = &damage->watch->checks[i];
    if (check->number > damage->last_clean && came_before(state, check, damage))
      damage->last_clean = check->number;
  }
}

/* Returns true if the launch was complete before a check that came before the damage. */
static bool was_clean(const struct gasan_launch *launch, const struct damage *damage) {
  for (uint32_t i = 0; i < GASAN_CANARY_CHECKS; i++) {
    const struct check *check = &damage->watch->checks[i];
    if (launch->id <= check->launch && (check->kind == AFTER_WAIT || same_stream(launch->stream, check->stream)) &&
        came_before(damage->state, check, damage))
      return true;
  }
  for (uint32_t i = 0; i < WAITS; i++) {
    const struct wait *wait = &damage->watch->waits[i];
    if (wait->check < damage->last_clean && launch->id <= wait->launch &&
        (wait->of_device || same_stream(launch->stream, wait->stream)))
      return true;
  }
  return false;
}

/* Returns true if the launch may have done the damage. Must be called under log_lock and waits_lock. */
static bool is_suspect(const struct gasan_launch *launch, const void *context) {
  const struct damage *damage = context;
  const struct check *finder = finder_of(damage);
  if (launch->chunks < damage->chunk)
    return false; /* before the allocation */
  if (finder && finder->kind == IN_STREAM && same_stream(launch->stream, finder->stream) && launch->id > finder->launch)
    return false; /* behind the check */
  return !damage->watch || !was_clean(launch, damage);
}

/* Returns the number of launches that the log no longer has and that may have done the damage. */
static uint64_t count_forgotten(const struct damage *damage) {
  struct gasan_launch first;
  const uint64_t forgotten = gasan_launch_oldest(&first) - 1;
  uint64_t excused = 0;
  if (first.chunks < damage->chunk)
    return 0; /* it came before the allocation */
  for (uint32_t i = 0; damage->watch && i < WAITS; i++) {
    const struct wait *wait = &damage->watch->waits[i];
    if (wait->of_device && wait->check < damage->last_clean && wait->launch > excused)
      excused = wait->launch;
  }
  return forgotten > excused ? forgotten - excused : 0;
}

static void report(struct gasan_rt_device *state, struct damage damage, const struct gasan_canary_report *found) {
  struct gasan_report_suspect *suspects = malloc(GASAN_SUSPECTS * sizeof *suspects);
  GASAN_CHECK(suspects);
  uint64_t others = 0;
  if (damage.watch)
    pthread_mutex_lock(&damage.watch->waits_lock);
  find_last_clean(state, &damage);
  uint32_t count = gasan_suspects_find(state, is_suspect, &damage, suspects, &others);
  others += count_forgotten(&damage);
  if (damage.watch)
    pthread_mutex_unlock(&damage.watch->waits_lock);
  gasan_report_canary(state, found, suspects, count, others);
  free(suspects);
}

/* A check records only the first damage. So none that ran until now says that another chunk had none. */
static void distrust_checks(const struct gasan_rt_device *state, uint64_t first) {
  struct gasan_canary_watch *watch = state->launches->watch;
  pthread_mutex_lock(&watch->waits_lock);
  for (uint64_t number = first; number <= gasan_canary_table_latest(state); number++)
    watch->checks[number % GASAN_CANARY_CHECKS].number = 0;
  pthread_mutex_unlock(&watch->waits_lock);
}

/* Returns code outside of this process that may write beside the chunk. */
static const char *others_of(const struct gasan_chunk *chunk) {
  return gasan_ipc_is_exported(chunk) ? "another process" : NULL;
}

void gasan_canary_watch_peek(struct gasan_rt_device *state) {
  static pthread_mutex_t peek_lock = PTHREAD_MUTEX_INITIALIZER;
  uint64_t address, chunk, number, check = gasan_canary_table_damage(state, &address);
  if (!check)
    return;
  pthread_mutex_lock(&peek_lock);
  struct gasan_chunk record;
  uint64_t first, last;
  check = gasan_canary_table_damage(state, &address);
  if (check && gasan_canary_table_find(state, address, &chunk, &number) &&
      gasan_canary_mend(state, chunk, &record, &first, &last))
    report(state, (struct damage){state, state->launches->watch, number, check, 0},
           &(struct gasan_canary_report){
               .chunk = &record,
               .address = first,
               .size = last - first + 1,
               .others = others_of(&record),
               .finder = state->launches->watch->checks[check % GASAN_CANARY_CHECKS].kind == GUARD
                             ? GASAN_CANARY_FOUND_BY_GUARD
                             : GASAN_CANARY_FOUND_BY_CHECK,
           });
  if (check) {
    distrust_checks(state, check);
    gasan_canary_table_forget(state);
  }
  pthread_mutex_unlock(&peek_lock);
}

void gasan_canary_watch_damaged(struct gasan_rt_device *state, const struct gasan_canary_damage *found) {
  /* A check may have found it, too, and finished meanwhile. Checks that do not see the canary excuse no launch. */
  uint64_t address;
  const struct damage damage = {
      .state = state,
      .watch = found->by_host ? NULL : state->launches->watch,
      .chunk = found->number,
      .check = found->by_host ? 0 : gasan_canary_table_damage(state, &address),
  };
  report(state, damage,
         &(struct gasan_canary_report){
             .chunk = found->chunk,
             .address = found->first,
             .size = found->last - found->first + 1,
             .finder = found->caller ? GASAN_CANARY_FOUND_AT_FREE : GASAN_CANARY_FOUND_AT_END,
             .others = found->by_host ? "host code" : others_of(found->chunk),
             .caller = found->caller,
         });
}
