/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/faults.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "gasan_rt/core/finish.h"
#include "gasan_rt/core/fuzzer.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/ring.h"

/* Number of the watcher's rounds between two polls of the driver. */
#define ROUNDS_A_POLL 64u

void gasan_faults_peek(struct gasan_rt_device *state) {
  gasan_ring_peek(state);
  gasan_canary_watch_peek(state);
}

void gasan_faults_collect(struct gasan_rt_device *state, int error) {
  /* Report recorded faults first: one of them may be the reason why the device stopped the kernel. */
  gasan_ring_collect(state);
  gasan_canary_watch_peek(state);
  gasan_device_error(state, error);
  gasan_launch_mark_complete(state);
}

/* Returns true for a fuzzer's program on the CPU device. */
static bool collects_at_launch(void) {
  return gasan_fuzzer_has_target() && gasan_rt_kind() == &gasan_device_cpu;
}

void gasan_faults_after_launch(struct gasan_rt_device *state) {
  if (collects_at_launch())
    gasan_faults_collect(state, 0);
}

void gasan_faults_before_unload(const struct gasan_module *module) {
  if (!gasan_rt_started() || !gasan_module_is_loaded(module) || gasan_finish_began())
    return;
  for (int i = 0; i < GASAN_RT_DEVICES; i++)
    if (gasan_module_is_instrumented_on(module, i)) {
      struct gasan_rt_device *state = gasan_rt_device(i);
      gasan_module_sites(gasan_module_id(module), state);
      gasan_faults_collect(state, gasan_rt_synchronize(state).driver_error);
    }
}

static void *watch_faults(void *unused) {
  (void)unused;
  for (unsigned round = 1;; round++) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    gasan_rt_each_device(gasan_faults_peek);
    gasan_rt_each_device(gasan_canary_watch_keep);
    if (round % ROUNDS_A_POLL == 0)
      gasan_rt_each_device(gasan_device_error_poll);
  }
  return NULL;
}

static pthread_mutex_t watcher_lock = PTHREAD_MUTEX_INITIALIZER;
/* True while the watcher runs. A forked child starts its own watcher. */
static atomic_bool watched;

static void forget_watcher(void) {
  atomic_store(&watched, false);
}

void gasan_faults_watch(void) {
  if (atomic_load_explicit(&watched, memory_order_relaxed) || collects_at_launch())
    return;
  static bool forks_known;
  pthread_mutex_lock(&watcher_lock);
  if (!atomic_load(&watched)) {
    if (!forks_known)
      forks_known = pthread_atfork(NULL, NULL, forget_watcher) == 0;
    sigset_t all, old;
    sigfillset(&all);
    /* Block all signals in the watcher: they must go to the program's threads. */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch_faults, NULL) == 0)
      pthread_detach(thread);
    else
      gasan_rt_warn("the watcher thread cannot start: faults are reported at the next synchronisation");
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    atomic_store(&watched, true);
  }
  pthread_mutex_unlock(&watcher_lock);
}
