/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the device has stopped a kernel: what can be said of it beside CUDA's error. Any thread. */
#ifndef GASAN_RT_DEVICE_ERROR_H
#define GASAN_RT_DEVICE_ERROR_H

#include <stdbool.h>

struct gasan_rt_device;
struct gasan_cpu_finding;

/* A call on the device ended with this error (cudaError_t; the driver's are the same numbers). Must be called before
 * launches are marked as complete. If the error says that the device has stopped a kernel for what it accessed or
 * executed, reports it, once for each device: as a wild address if kernels have looked up pointers to no known memory,
 * else with the kernels that may have run. Another thread's report is complete when this returns. The CPU device
 * reports its faults itself (report_finding.c). */
void gasan_device_error(struct gasan_rt_device *state, int error);

/* The same for a call that may have been about any device. */
void gasan_device_error_seen(int error);

/* For the watcher: asks the device itself. Does not wait. Not while the process ends. */
void gasan_device_error_poll(struct gasan_rt_device *state);
/* The process ends: returns when no poll runs any more, and none begins. */
void gasan_device_error_end_polls(void);

/* The CPU device has stopped a kernel at an address. If the kernel has looked up a pointer near it that leads to no
 * known memory, reports that, with the site of the access. False: it has not. */
bool gasan_device_error_explain(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding, int error);

#endif
