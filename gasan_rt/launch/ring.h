/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the ring, into which kernels write a record of each fault, and reports new records.
 *
 * Any thread. Each device has a lock (device_launches.h), held while its records are reported. Under it are taken the
 * gate of the launch log, if it is free, and the report lock. */
#ifndef GASAN_RT_RING_H
#define GASAN_RT_RING_H

#include <stdint.h>

struct gasan_rt_device;

/* Reports the records since the last call. */
void gasan_ring_collect(struct gasan_rt_device *state);

/* Costs one load if there is no new record. Else waits up to report_wait_ms for the kernel to finish, then reports. */
void gasan_ring_peek(struct gasan_rt_device *state);

/* Returns the faulting threads so far, and those that were not counted by site because the tables were full. */
void gasan_ring_count(struct gasan_rt_device *state, uint64_t *faults, uint64_t *dropped);

#endif
