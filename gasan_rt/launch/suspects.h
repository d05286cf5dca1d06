/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds suspects: launches that may have run when a device stopped a kernel without naming it. Any thread; no lock of
 * its own. */
#ifndef GASAN_RT_SUSPECTS_H
#define GASAN_RT_SUSPECTS_H

#include <stdint.h>

#include "gasan_rt/report/report_stopped.h"

struct gasan_launch;
struct gasan_rt_device;

#define GASAN_SUSPECTS 64u

/* Lists the launches on the device that are not known to be complete, grouped by the program's host stack, latest
 * first, in at most GASAN_SUSPECTS entries. `kernel`: only those of the kernel with this device symbol, or its latest
 * launch if all are complete; NULL: of all kernels. Returns the number of entries. Sets *others to the number of
 * remaining launches. */
uint32_t gasan_suspects_find(struct gasan_rt_device *state, const char *kernel, struct gasan_report_suspect *suspects,
                             uint64_t *others);

/* Keeps the suspects that may be launches with this grid and block. Returns their number. */
uint32_t gasan_suspects_of_shape(struct gasan_report_suspect *suspects, uint32_t count, const uint32_t grid[3],
                                 const uint32_t block[3]);

/* Returns the reason why the kernel has no checks, as text to follow "the kernel"; NULL: it may have checks. */
const char *gasan_suspect_unchecked(struct gasan_rt_device *state, const struct gasan_launch *launch);

#endif
