/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The launch log: finds the launch that a fault's record comes from, with the program's stack there.
 *
 * Any thread. Two locks. A launch holds the gate from its number to the return of CUDA's call, so that the device sees
 * launches in the order of their numbers. `log_lock` guards the log; it is taken alone or under the gate. */
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
  uint64_t number; /* from 1, on its device; equals %gridid if we see all launches; 0: captured, not run */
  int ordinal;
  const struct gasan_kernel *kernel; /* NULL: a graph, or a kernel that no module registered */
  bool checked;                      /* the kernel has checks */
  bool waited;                       /* the call returned after the kernel's end (CUDA_LAUNCH_BLOCKING=1) */
  uint32_t grid[3], block[3];
  uint32_t stack; /* of the launching host thread */
  uint32_t thread;
  void *stream;
  /* For a graph: its launch has `grids` numbers from `number` on, and runs the kernels of `graph`. Once a kernel of it
   * is identified: the stack that brought the kernel into the graph (0: not known). */
  uint64_t grids;
  const struct gasan_graph_kernels *graph;
  uint32_t node_stack, node_thread;
  bool node_captured;
};

/* Finds the launch that a record comes from. Returns false if the log has none.
 *
 * Grids read their sequence number from %gridid, and we number launches the same way: %gridid counts the context's
 * kernel launches from 1 over all streams, and some sets and copies (seen on an H200). A match on number, module, shape
 * and reachability identifies the launch. Launches that we do not see (graphs, libraries on the driver API), and sets
 * and copies inside the device, shift the numbers. Then the earliest matching launch that is not known to be complete
 * is taken. */
bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch);

/* Finds the launch with this number on the device. False: the log has it no more. */
bool gasan_launch_numbered(struct gasan_rt_device *state, uint64_t number, struct gasan_launch *launch);

/* Mark all launches so far, on this device or in this stream, as complete. A complete launch is a candidate only if no
 * newer launch fits. */
void gasan_launch_mark_complete(struct gasan_rt_device *state);
void gasan_launch_mark_stream(struct gasan_rt_device *state, void *stream);

bool gasan_launch_is_complete(const struct gasan_launch *launch);

/* Returns the id of the latest launch on any device; 0: none. */
uint64_t gasan_launch_latest(void);
/* Returns true if all launches on the device up to this id are certainly complete. Returns false also if they are many,
 * or if there are launches that we do not see. */
bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id);

/* Finds the latest launch that is not known to be complete and whose kernel needs an unknown amount of stack. False:
 * there is none. */
bool gasan_launch_with_unknown_stack(struct gasan_rt_device *state, struct gasan_launch *launch);

/* Launches with the same host stack. */
struct gasan_launch_group {
  struct gasan_launch latest;
  uint64_t count;
};
/* Lists the launches on the device that are not known to be complete, latest first. Returns the number of groups, at
 * most `most`; *others counts the launches that are in no group. */
uint32_t gasan_launch_unfinished(struct gasan_rt_device *state, struct gasan_launch_group *groups, uint32_t most,
                                 uint64_t *others);

/* The gate: takes it, waiting for other threads; takes it without waiting (false: another thread has it); releases
 * it. */
void gasan_launch_begin(void);
bool gasan_launch_hold(void);
void gasan_launch_release(void);

/* Numbers the launch and adds it to the log. Needs the gate. Returns the number. */
uint64_t gasan_launch_log_add(struct gasan_rt_device *state, const struct gasan_launch *launch);
/* Removes a launch that failed: it started no grid, so the next launch gets its number. */
void gasan_launch_log_remove(struct gasan_rt_device *state, uint64_t number);
/* Records that the call has waited for the kernel. */
void gasan_launch_mark_waited(struct gasan_rt_device *state, uint64_t number);
/* Call after launching a graph: adds the grids that it has started. Only the CPU device knows their number; on a GPU
 * the numbers are not trusted from then on. */
void gasan_launch_log_count_grids(struct gasan_rt_device *state, uint64_t number);

#endif
