/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The launch log: records the latest launches, with the program's stacks, and finds the launch from which a fault's
 * record comes.
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
  uint64_t number; /* from 1, on its device; equals %gridid if we count all launches; 0: captured, not run */
  int ordinal;
  const struct gasan_kernel *kernel; /* NULL: a graph, or a kernel that no module registered */
  const char *name;                  /* device symbol of a kernel that no module registered; NULL: not known */
  bool checked;                      /* the kernel has checks */
  bool is_left_out;                  /* its errors are not reported (launch_filter.h) */
  bool waited;                       /* the call has waited for the kernel's end (CUDA_LAUNCH_BLOCKING=1) */
  uint32_t grid[3], block[3];        /* 0: a graph */
  uint64_t chunks;                   /* with canaries, when it was launched (memory/canary_table.h) */
  uint32_t stack;                    /* of the launching host thread */
  uint32_t thread;
  void *stream;
  /* For a graph: its kernels have `grids` numbers from `number` on, and are listed in `graph`. Once a kernel of the
   * graph is identified: the stack that added the kernel to the graph (0: not known). */
  uint64_t grids;
  const struct gasan_graph_kernels *graph;
  uint32_t node_stack, node_thread;
  bool node_captured;
};

/* Finds the launch from which a record comes. Returns false if the log does not have the launch.
 *
 * Grids read their sequence number from %gridid, and we number launches the same way: %gridid counts the context's
 * kernel launches from 1 over all streams, and some sets and copies (seen on an H200). A match on number, module, shape
 * and reachability identifies the launch. Launches that we do not intercept (graphs, libraries on the driver API), and
 * sets and copies inside the device, shift the numbers. In that case, the result is the earliest matching launch that
 * is not known to be complete. */
bool gasan_launch_find(struct gasan_rt_device *state, const struct gasan_record *record,
                       const struct gasan_sites *sites, struct gasan_launch *launch);

/* Finds the launch with this number on the device. Returns false if the log no longer has the launch. */
bool gasan_launch_numbered(struct gasan_rt_device *state, uint64_t number, struct gasan_launch *launch);

/* Mark all launches so far, on this device or in this stream, as complete. A complete launch counts as a match only if
 * no other launch matches. */
void gasan_launch_mark_complete(struct gasan_rt_device *state);
void gasan_launch_mark_stream(struct gasan_rt_device *state, void *stream);

bool gasan_launch_is_complete(const struct gasan_launch *launch);

/* Returns the id of the latest launch on any device; 0: none. */
uint64_t gasan_launch_latest(void);
/* Returns true if all launches on the device up to this id are certainly complete. Returns false also if there are too
 * many to check, or if there are launches that we do not intercept. */
bool gasan_launch_complete_until(const struct gasan_rt_device *state, uint64_t id);

/* Finds the latest launch that is not known to be complete and whose kernel has an unknown stack size. Returns false if
 * there is none. */
bool gasan_launch_with_unknown_stack(struct gasan_rt_device *state, struct gasan_launch *launch);

/* Launches with the same host stack. */
struct gasan_launch_group {
  struct gasan_launch latest;
  uint64_t count;
};
/* Lists the launches on the device for which `wanted` returns true, latest first. Returns the number of groups, at most
 * `most`. Sets *others to the number of launches in no group. `wanted` is called under log_lock, and must call nothing
 * of this file but the two below. */
uint32_t gasan_launch_groups(struct gasan_rt_device *state,
                             bool (*wanted)(const struct gasan_launch *launch, const void *context),
                             const void *context, struct gasan_launch_group *groups, uint32_t most, uint64_t *others);
/* For gasan_launch_groups: the launch runs the kernel with this device symbol, the context; NULL: any kernel.
 * unfinished: and it is not known to be complete. */
bool gasan_launch_of_kernel(const struct gasan_launch *launch, const void *symbol);
bool gasan_launch_unfinished(const struct gasan_launch *launch, const void *symbol);

/* Copies the oldest launch of the log, and returns its id; 1 and chunks 0 if there is none. */
uint64_t gasan_launch_oldest(struct gasan_launch *launch);

/* Puts a number in the place of a stream's handle, which CUDA may give to another stream. */
void gasan_launch_log_rename_stream(void *stream, void *token);

/* The gate. gasan_launch_begin waits for other threads and locks the gate. gasan_launch_hold locks the gate without
 * waiting, and returns false if another thread has it. gasan_launch_release unlocks the gate. */
void gasan_launch_begin(void);
bool gasan_launch_hold(void);
void gasan_launch_release(void);

/* Numbers the launch and adds it to the log. The caller must hold the gate. Returns the number. */
uint64_t gasan_launch_log_add(struct gasan_rt_device *state, const struct gasan_launch *launch);
/* Removes a launch that failed. It started no grid, so the next launch gets its number. */
void gasan_launch_log_remove(struct gasan_rt_device *state, uint64_t number);
/* Counts a grid that gasan has launched itself. The caller must hold the gate. */
void gasan_launch_log_count_own(struct gasan_rt_device *state);
/* Records that the call has waited for the kernel. */
void gasan_launch_mark_waited(struct gasan_rt_device *state, uint64_t number);
/* Must be called after a launch of a graph. Adds the number of grids that the graph has started. Only the CPU device
 * knows this number; on a GPU, later numbers are no longer relied on. */
void gasan_launch_log_count_grids(struct gasan_rt_device *state, uint64_t number);

#endif
