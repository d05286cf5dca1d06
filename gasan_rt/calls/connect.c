/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets core's hooks (core/hooks.h) to functions of the folders above core. */
#include "device/cpu/cpu.h"
#include "gasan_rt/calls/translate.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/rebind.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/finding.h"
#include "gasan_rt/launch/leaks.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/stats.h"
#include "gasan_rt/memory/canary.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/host_canary.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/report/report_repeat.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static void end_polls(void) {
  gasan_device_error_end_polls();
  gasan_canary_watch_end();
}

/* Waits for the device at the end of the program. A program may end without waiting for its kernels; their faults are
 * still reported. */
static void finish_device(struct gasan_rt_device *state) {
  struct gasan_status status = gasan_rt_synchronize(state);
  gasan_faults_collect(state, status.driver_error);
  gasan_pending_frees_poll();
  if (gasan_ok(status))
    gasan_canary_check_all(state);
  if (gasan_ok(status))
    gasan_host_canary_check_all(state);
  if (gasan_detect_leaks())
    gasan_leaks_read_heap(state);
}

static void finish_devices(void) {
  gasan_rt_each_device(finish_device);
}

/* Runs before the constructors of the program, and of libraries that use this library. */
__attribute__((constructor(101))) static void connect(void) {
  gasan_cpu_set_image_seen(gasan_rt_rebind);
  gasan_rt_connect(&(struct gasan_rt_hooks){
      .registered = gasan_registry_replay,
      .takes_handles = gasan_registry_takes_handles,
      .open_memory = gasan_device_memory_open,
      .open_launches = gasan_device_launches_open,
      .translate = gasan_translate_call,
      .try_still = gasan_translate_try_still,
      .end_still = gasan_translate_end_still,
      .found = gasan_finding_report,
      .waited = gasan_faults_collect,
      .peek = gasan_faults_peek,
      .failed = gasan_device_error_seen,
      .wait_begins = gasan_canary_watch_wait_begins,
      .wait_ended = gasan_canary_watch_wait_ended,
      .damaged = gasan_canary_watch_damaged,
      .end_polls = end_polls,
      .finish_devices = finish_devices,
      .finish_reports = gasan_repeat_finish,
      .any_report = gasan_repeat_any,
      .print_stats = gasan_stats_print,
      .print_unguarded = gasan_stats_print_unguarded,
      .report_leaks = gasan_leaks_report,
  });
}
