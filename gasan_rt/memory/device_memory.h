/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of memory/ for each device. Any thread; the comment on each member names its lock.
 *
 * The folder memory/ allocates and frees the program's device memory: chunks of the pool, stream-ordered memory, and
 * foreign ranges, arrays and CUDA's pools, which it records. It checks ranges of copies, and uploads tables before
 * launches. It calls report/, core/ and the pool. Each header names its locks; docs/internals/locks.md gives the order
 * of all locks. */
#ifndef GASAN_RT_DEVICE_MEMORY_H
#define GASAN_RT_DEVICE_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct gasan_canaries;
struct gasan_range;
struct gasan_ranges;
struct gasan_rt_device;

struct gasan_device_memory {
  /* device_bounds.c */
  struct gasan_ranges *ranges; /* NULL: foreign memory is not checked */
  pthread_mutex_t ranges_lock;
  struct gasan_range *uploaded; /* the content of `ranges`; under the lock, with its count */
  uint64_t uploaded_count;
  _Atomic uint64_t uploads; /* count */
  _Atomic uint64_t epoch;   /* of the uploaded ranges */

  /* peers.c: a bit for each device whose pool the device's kernels may use */
  _Atomic uint64_t reaches;

  /* canary_table.c; NULL: no canary was written */
  struct gasan_canaries *_Atomic canaries;

  /* upload.c */
  _Atomic uint64_t launches_begun, launches_made, launches_complete;
  _Atomic bool upload_wanted;
};

/* Creates state->memory. The device's pool and parameters must exist. Must be called by one thread at a time. */
void gasan_device_memory_open(struct gasan_rt_device *state);

/* For the first code in BST mode that is loaded into a process without checks (gasan run), whose pool has no tables:
 * adds a tree of all chunks. Changes state->params; the caller holds the registry's lock. Returns false if the device
 * has no memory for the tree. */
bool gasan_device_memory_add_tables(struct gasan_rt_device *state);

#endif
