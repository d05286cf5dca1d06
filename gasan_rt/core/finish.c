/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/finish.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "gasan_rt/core/door.h"
#include "gasan_rt/core/hooks.h"
#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static pid_t started_in;
static _Atomic bool began;

bool gasan_finish_began(void) {
  return atomic_load(&began);
}

static void finish_process(void) {
  if (getpid() != started_in)
    return; /* a forked child must not touch its parent's device */
  atomic_store(&began, true);
  gasan_rt_hooks()->end_polls();
  gasan_rt_hooks()->finish_devices();
  gasan_rt_hooks()->finish_reports();
  if (gasan_options()->print_stats)
    gasan_rt_hooks()->print_stats();
  gasan_evidence_end();
  if (gasan_options()->print_unguarded && gasan_door_serves())
    gasan_rt_hooks()->print_unguarded();
}

static int exit_status = -1; /* of the program; -1: not known */

static void note_status(int status, void *unused) {
  (void)unused;
  exit_status = status;
}

/* Runs after all exit handlers and the destructors of the program's objects, which may free device memory. */
__attribute__((destructor)) static void end_process(void) {
  if (!gasan_finish_began() || getpid() != started_in)
    return;
  if (gasan_detect_leaks())
    gasan_rt_hooks()->report_leaks();
  if (exit_status == 0 && gasan_rt_hooks()->any_report())
    gasan_exit();
}

void gasan_finish_at_exit(void) {
  started_in = getpid();
  on_exit(note_status, NULL);
  atexit(finish_process);
  at_quick_exit(finish_process);
}
