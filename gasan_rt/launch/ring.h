/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the ring, into which kernels write a record of each fault, and reports new records.
 *
 * Any thread. Each device has a lock (`ring_lock`, device_launches.h), held while its records are reported. Under it,
 * the gate of the launch log is taken if it is free, and the report lock. */
#ifndef GASAN_RT_RING_H
#define GASAN_RT_RING_H

#include <stdint.h>

struct gasan_rt_device;

/* Reports all records that were written since the last call. Does not wait for kernels. */
void gasan_ring_collect(struct gasan_rt_device *state);

/* Reports new records while kernels may run. Costs one load if there are none. Else waits up to report_wait_ms for the
 * kernel to finish, and then reports. */
void gasan_ring_peek(struct gasan_rt_device *state);

/* Sets *faults to the number of faulting threads so far, and *dropped to the number of those that were not counted by
 * site because the tables were full. */
void gasan_ring_count(struct gasan_rt_device *state, uint64_t *faults, uint64_t *dropped);

#endif
