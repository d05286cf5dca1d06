/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of kernels that the device has stopped. Any thread. */
#ifndef GASAN_RT_DEVICE_ERROR_H
#define GASAN_RT_DEVICE_ERROR_H

#include <stdbool.h>

struct gasan_rt_device;
struct gasan_cpu_finding;

/* Call with the error of each call on the device (cudaError_t; the driver's errors have the same numbers), before
 * launches are marked as complete. If the device has stopped a kernel for an access or an instruction, reports it, once
 * for each device. The report is a wild address if kernels have looked up pointers to no known memory; else it names
 * the kernels that may have run. Returns after a report of another thread is complete. The CPU device reports its
 * faults itself (report_finding.c). */
void gasan_device_error(struct gasan_rt_device *state, int error);

/* The same for a call whose device is not known. */
void gasan_device_error_seen(int error);

/* Asks the device for its error, for the watcher. Does not wait. Does nothing while the process ends. */
void gasan_device_error_poll(struct gasan_rt_device *state);
/* Call at the end of the process. Returns when no poll runs; none starts afterwards. */
void gasan_device_error_end_polls(void);

/* Call when the CPU device has stopped a kernel at an address. If the kernel has looked up a pointer to no known memory
 * near it, reports that with the site of the access. Returns false if it has not. */
bool gasan_device_error_explain(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding, int error);

#endif
