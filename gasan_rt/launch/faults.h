/* Faults that kernels recorded in the ring: collecting them, and the watcher that sees them even if the program never
 * synchronises. Any thread. */
#ifndef GASAN_RT_FAULTS_H
#define GASAN_RT_FAULTS_H

#include "gasan_rt/core/runtime.h"

/* All work of the device is complete, since a wait for the device has just ended with `error` (cudaError_t, or the driver's): reports
 * every recorded fault, and then the error if it has stopped a kernel. */
void gasan_faults_collect(struct gasan_rt_device *state, int error);

/* One load if nothing was recorded. Otherwise waits a little for the kernel to finish (report_wait_ms), then reports. */
void gasan_faults_peek(struct gasan_rt_device *state);

/* Starts the watcher thread if it is not running. */
void gasan_faults_watch(void);

/* Faulting threads so far, and those that could not be told apart because the tables were full. */
void gasan_faults_count(struct gasan_rt_device *state, uint64_t *faults, uint64_t *dropped);

#endif
