/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports deadlocks: every live thread of a block waits. Threads that wait at the same place for the same event form
 * one place of the finding. */
#include "device/cpu/trace.h"
#include "device/cpu/worker.h"

static bool same_place(const struct gasan_cpu_place *a, const struct gasan_cpu_place *b) {
  uint32_t depth = a->depth < GASAN_CPU_FINDING_FRAMES ? a->depth : GASAN_CPU_FINDING_FRAMES;
  return a->depth == b->depth && memcmp(a->pcs, b->pcs, depth * sizeof a->pcs[0]) == 0 &&
         strcmp(a->waits_for, b->waits_for) == 0;
}

static void add_place(struct gasan_cpu_finding *finding, const struct gasan_cpu_place *place) {
  for (uint32_t i = 0; i < finding->place_count; i++)
    if (same_place(&finding->places[i], place)) {
      finding->places[i].threads++;
      return;
    }
  if (finding->place_count < GASAN_CPU_FINDING_PLACES)
    finding->places[finding->place_count++] = *place;
  else
    finding->places_left_out++;
}

void gasan_cpu_report_deadlock(struct gasan_cpu_worker *worker) {
  worker->stuck = false;
  if (gasan_cpu_launch_fail(worker->launch, GASAN_CPU_ERROR_LAUNCH_FAILURE)) {
    struct gasan_cpu_finding *finding = gasan_cpu_finding_begin(worker, GASAN_CPU_DEADLOCK);
    for (uint32_t thread = 0; thread < worker->count; thread++) {
      struct gasan_cpu_place place = {.threads = 1};
      if (!gasan_cpu_barrier_describe(worker, thread, place.waits_for, sizeof place.waits_for) &&
          !gasan_cpu_warp_describe(worker, thread, place.waits_for, sizeof place.waits_for))
        continue;
      memcpy(place.first, worker->identities[thread].tid, sizeof place.first);
      place.depth = gasan_cpu_trace_parked(worker->parked[thread], place.pcs, GASAN_CPU_FINDING_FRAMES);
      add_place(finding, &place);
    }
    gasan_cpu_report_found(worker);
  }
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
}
