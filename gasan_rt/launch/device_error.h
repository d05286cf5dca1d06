/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports kernels that the device has stopped. Any thread. One lock (`error_lock`), locked during a report. */
#ifndef GASAN_RT_DEVICE_ERROR_H
#define GASAN_RT_DEVICE_ERROR_H

#include <stdbool.h>

struct gasan_rt_device;
struct gasan_cpu_finding;

/* Must be called with the error of each call on the device (cudaError_t; the driver's errors have the same numbers),
 * before launches are marked as complete. If the device has stopped a kernel because of an access or an instruction,
 * reports this, once for each device. The report names a wild address if kernels have looked up pointers to no known
 * memory; else it names the kernels that may have run. If another thread is reporting, returns after that report is
 * complete. Ignores the CPU device, which reports its faults itself (report_finding.c). */
void gasan_device_error(struct gasan_rt_device *state, int error);

/* Does the same for a call whose device is not known. */
void gasan_device_error_seen(int error);

/* Asks the device for its error, for the watcher. Does not wait. Does nothing while the process ends. */
void gasan_device_error_poll(struct gasan_rt_device *state);
/* Must be called at the end of the process. Returns when no poll runs; no poll starts afterwards. */
void gasan_device_error_end_polls(void);

/* Must be called when the CPU device has stopped a kernel at an address. If the kernel has looked up a pointer to no
 * known memory near that address, reports the pointer with the site of its access. Returns false if the kernel has
 * not. */
bool gasan_device_error_explain(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding, int error);

#endif
