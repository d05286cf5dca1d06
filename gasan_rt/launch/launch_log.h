/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The launch log: which launch a fault's record comes from, and where the program made it.
 *
 * Any thread. Two locks: the gate, which a launch holds from its number to the return of CUDA's call, so that the
 * device sees launches in the order of their numbers; and, inside it or alone, `log_lock`, which guards the log. */
#ifndef GASAN_RT_LAUNCH_LOG_H
#define GASAN_RT_LAUNCH_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/abi.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/report/site_table.h"

struct gasan_launch {
  uint64_t id;     /* from 1, in launch order over all devices */
  uint64_t number; /* from 1, on its device: what %gridid counts, if all launches go through us; 0: captured, not run */
  int ordinal;
  const struct gasan_kernel *kernel; /* NULL: a graph, or a kernel that no module registered */
  bool checked;                      /* the kernel's module is instrumented */
  bool waited;                       /* the call returned when the kernel had ended (CUDA_LAUNCH_BLOCKING=1) */
  uint32_t grid[3], block[3];
  uint32_t stack; /* of the host thread that launched */
  uint32_t thread;
  void *stream;
  /* Of a graph: it has the numbers from `number` on, this many of them; what it may run; and, once one of its kernels
   * was found to be meant, how that one came into the graph (stack 0: not known). */
  uint64_t grids;
  const struct gasan_graph_kernels *graph;
  uint32_t node_stack, node_thread;
  bool node_captured;
};

/* The launch that a record comes from. A grid knows its number (%gridid; seen on an H200 to count the context's kernel
 * launches from 1 over all streams, and some sets and copies), and so do we: if module, shape and reach fit, that
 * launch it is. Launches that do not go through us (graphs, libraries on the driver API), sets and copies inside the
 * device shift the numbers; then it is the earliest fitting one that is not known to be complete. False: none is in the
 * log. */
bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch);

/* The launch with this number on the device; false: it is not in the log any more. */
bool gasan_launch_numbered(struct gasan_rt_device *state, uint64_t number, struct gasan_launch *launch);

/* All launches so far on this device (in this stream) are complete: they are no longer candidates, unless nothing newer
 * fits. */
void gasan_launch_mark_complete(struct gasan_rt_device *state);
void gasan_launch_mark_stream(struct gasan_rt_device *state, void *stream);

bool gasan_launch_is_complete(const struct gasan_launch *launch);

/* The id of the latest launch on any device; 0: none. */
uint64_t gasan_launch_latest(void);
/* Are all launches on the device up to this id complete for certain? False also if there are many, or some that we do
 * not see. */
bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id);

/* The id of the latest launch on any device; 0: none. */
uint64_t gasan_launch_latest(void);
/* Are all launches on the device up to this id complete for certain? False also if there are many, or some that we do
 * not see. */
bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id);

/* The latest launch that is not known to be complete, of a kernel whose stack nobody knows; false: there is none. */
bool gasan_launch_with_unknown_stack(struct gasan_rt_device *state, struct gasan_launch *launch);

/* Launches from one place of the program. */
struct gasan_launch_group {
  struct gasan_launch latest;
  uint64_t count;
};
/* The launches on the device that are not known to be complete, the latest first. Returns how many groups there are, at
 * most `most`; *others is the number of launches that are in none of them. */
uint32_t gasan_launch_unfinished(struct gasan_rt_device *state, struct gasan_launch_group *groups, uint32_t most,
                                 uint64_t *others);

/* The gate: waits until no other thread is launching; the same, but false if one is right now; lets the next one
 * launch. */
void gasan_launch_begin(void);
bool gasan_launch_hold(void);
void gasan_launch_release(void);

/* With the gate. Numbers the launch and writes it down; returns its number. */
uint64_t gasan_launch_log_add(struct gasan_rt_device *state, const struct gasan_launch *launch);
/* A launch that failed started no grid: its number goes to the next one. */
void gasan_launch_log_remove(struct gasan_rt_device *state, uint64_t number);
/* The call has waited for the kernel. */
void gasan_launch_mark_waited(struct gasan_rt_device *state, uint64_t number);
/* Behind the launch of a graph: how many grids it has started; on the CPU device that is known, elsewhere the numbers
 * are not trusted any more. */
void gasan_launch_log_count_grids(struct gasan_rt_device *state, uint64_t number);

#endif
