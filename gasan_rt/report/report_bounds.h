/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of accesses in BST mode, where the pointer's own object is known. Any thread. */
#ifndef GASAN_RT_REPORT_BOUNDS_H
#define GASAN_RT_REPORT_BOUNDS_H

#include "gasan_rt/report/report.h"

void gasan_report_bounds_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* Reports that the device has stopped a kernel with this CUDA error, and describes the most likely of the `others` + 1
 * pointers to no known memory that the kernel has looked up. */
void gasan_report_unknown_address(const struct gasan_device_fault *fault, int error, uint32_t others);

#endif
