/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/ring.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/describe.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static bool record_ready(struct gasan_rt_device *state, uint32_t index) {
  return index < GASAN_RING_RECORDS && __atomic_load_n(&state->ring->records[index].ready, __ATOMIC_ACQUIRE) != 0;
}

static void sleep_microseconds(long microseconds) {
  struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

/* A fault to report: the record with the smallest order of its key (site and launch), and the number of threads with
 * the key. */
struct fault {
  struct gasan_record record;
  uint64_t threads;
};

static void add_record(struct fault *faults, uint32_t *count, const struct gasan_record *record) {
  for (uint32_t i = 0; i < *count; i++)
    if (faults[i].record.key == record->key) {
      faults[i].threads++;
      if (record->order < faults[i].record.order)
        faults[i].record = *record;
      return;
    }
  faults[(*count)++] = (struct fault){*record, 1};
}

/* Reads the number of threads for each key from the device, which also counts threads that wrote no record. */
static void read_thread_counts(struct gasan_rt_device *state, struct fault *faults, uint32_t count) {
  struct gasan_ring_control *control = malloc(sizeof *control);
  GASAN_CHECK(control);
  if (gasan_ok(state->device->kind->read(state->device, control, state->control_address, sizeof *control)))
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t s = 0; s < GASAN_FAULT_SLOTS; s++)
        if (control->slots[s].key == faults[i].record.key && control->slots[s].count > faults[i].threads)
          faults[i].threads = control->slots[s].count;
  free(control);
}

void gasan_ring_count(struct gasan_rt_device *state, uint64_t *faults, uint64_t *dropped) {
  struct gasan_ring_control *control = malloc(sizeof *control);
  *faults = *dropped = 0;
  if (control && gasan_ok(state->device->kind->read(state->device, control, state->control_address, sizeof *control))) {
    *faults = control->faults;
    *dropped = control->dropped;
  }
  free(control);
}

/* Orders faults by launch, so that the first bug is reported first, then by thread and site, so that the order is
 * stable. */
static int by_launch(const void *left, const void *right) {
  const struct gasan_record *a = &((const struct fault *)left)->record, *b = &((const struct fault *)right)->record;
  if (a->grid_id != b->grid_id)
    return a->grid_id < b->grid_id ? -1 : 1;
  if (a->order != b->order)
    return a->order < b->order ? -1 : 1;
  return a->site < b->site ? -1 : a->site > b->site;
}

static bool reported_before(struct gasan_rt_device *state, uint64_t key) {
  for (uint32_t i = 0; i < state->launches->reported_count; i++)
    if (state->launches->reported_keys[i] == key)
      return true;
  GASAN_CHECK(state->launches->reported_count < GASAN_RING_RECORDS); /* there are at most as many keys as records */
  state->launches->reported_keys[state->launches->reported_count++] = key;
  return false;
}

static void report_fault(struct gasan_rt_device *state, const struct fault *fault) {
  if (reported_before(state, fault->record.key))
    return;
  struct gasan_fault_description report;
  gasan_describe_fault(state, &fault->record, fault->threads, &report);
  gasan_report_device_fault(&report.fault);
}

/* Empties the ring and the list of reported keys, so that they do not fill up with halt_on_error=0. Does so only when
 * they are half full and no kernel can write to the ring. */
static void empty_ring(struct gasan_rt_device *state) {
  bool full = state->launches->seen_records >= GASAN_RING_RECORDS / 2 ||
              state->launches->reported_count >= GASAN_FAULT_SLOTS / 2;
  if (!full || !gasan_launch_hold())
    return;
  const struct gasan_device_kind *kind = state->device->kind;
  struct gasan_ring_control *control = malloc(sizeof *control);
  GASAN_CHECK(control);
  /* Do not wait: running work may be waiting for a launch that the gate blocks. */
  if (kind->idle(state->device) && !gasan_capture_active() && !record_ready(state, state->launches->seen_records) &&
      gasan_ok(kind->read(state->device, control, state->control_address, sizeof *control))) {
    control->claimed = 0;
    memset(control->slots, 0, sizeof control->slots);
    if (gasan_ok(kind->write(state->device, state->control_address, control, sizeof *control))) {
      memset(state->ring->records, 0, sizeof state->ring->records);
      state->launches->seen_records = 0;
      state->launches->reported_count = 0;
    }
  }
  free(control);
  gasan_launch_release();
}

static void report_new(struct gasan_rt_device *state) {
  uint32_t first = state->launches->seen_records, end = first;
  while (record_ready(state, end))
    end++;
  if (end == first)
    return;
  struct fault *faults = malloc((end - first) * sizeof *faults);
  GASAN_CHECK(faults);
  uint32_t count = 0;
  for (uint32_t i = first; i < end; i++)
    add_record(faults, &count, &state->ring->records[i]);
  state->launches->seen_records = end;
  read_thread_counts(state, faults, count);
  qsort(faults, count, sizeof *faults, by_launch);
  for (uint32_t i = 0; i < count; i++)
    report_fault(state, &faults[i]);
  free(faults);
}

void gasan_ring_collect(struct gasan_rt_device *state) {
  pthread_mutex_lock(&state->launches->ring_lock);
  report_new(state);
  empty_ring(state);
  pthread_mutex_unlock(&state->launches->ring_lock);
}

/* Waits for the kernel to finish, because the report should name the faulting thread with the smallest index. Counts
 * naps instead of time: while the whole process is stopped (a signal, a CPU quota, a paused virtual machine), the
 * kernel makes no progress either. */
static void wait_for_kernel(struct gasan_rt_device *state) {
  for (int naps = gasan_options()->report_wait_ms * 2; naps > 0 && !state->device->kind->idle(state->device); naps--)
    sleep_microseconds(500);
}

void gasan_ring_peek(struct gasan_rt_device *state) {
  if (!record_ready(state, state->launches->seen_records))
    return;
  wait_for_kernel(state);
  gasan_ring_collect(state);
}
