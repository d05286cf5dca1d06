/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ring into which kernels write a record of each fault: reading it, and reporting what is new.
 *
 * Any thread. A lock for each device (device_launches.h), held while its records are reported; inside it are taken the
 * gate of the launch log, if it is free, and the report lock. */
#ifndef GASAN_RT_RING_H
#define GASAN_RT_RING_H

#include <stdint.h>

struct gasan_rt_device;

/* Reports what has been recorded since the last time. */
void gasan_ring_collect(struct gasan_rt_device *state);

/* One load if nothing was recorded. Otherwise waits a little for the kernel to finish (report_wait_ms), then reports.
 */
void gasan_ring_peek(struct gasan_rt_device *state);

/* Faulting threads so far, and those that could not be told apart because the tables were full. */
void gasan_ring_count(struct gasan_rt_device *state, uint64_t *faults, uint64_t *dropped);

#endif
