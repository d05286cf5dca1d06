/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds suspects: launches that may have caused a report, when no check has named the kernel. Any thread; no
 * lock of its own. */
#ifndef GASAN_RT_SUSPECTS_H
#define GASAN_RT_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/report/report_stopped.h"

struct gasan_launch;
struct gasan_rt_device;

#define GASAN_SUSPECTS 64u

/* Lists the launches on the device for which `wanted` returns true (gasan_launch_groups), grouped by the program's host
 * stack, latest first, in at most GASAN_SUSPECTS entries. Returns the number of entries. Sets *others to the number of
 * remaining launches. */
uint32_t gasan_suspects_find(struct gasan_rt_device *state,
                             bool (*wanted)(const struct gasan_launch *launch, const void *context),
                             const void *context, struct gasan_report_suspect *suspects, uint64_t *others);
/* Does the same for the launches of one kernel, by its device symbol, that are not known to be complete; if all are,
 * for its latest launch. */
uint32_t gasan_suspects_of_kernel(struct gasan_rt_device *state, const char *symbol,
                                  struct gasan_report_suspect *suspects, uint64_t *others);

/* Keeps the suspects that may be launches with this grid and block. Returns their number. */
uint32_t gasan_suspects_of_shape(struct gasan_report_suspect *suspects, uint32_t count, const uint32_t grid[3],
                                 const uint32_t block[3]);

/* Returns the reason why the kernel has no checks, as text to follow "the kernel"; NULL: it may have checks. */
const char *gasan_suspect_unchecked(struct gasan_rt_device *state, const struct gasan_launch *launch);

#endif
