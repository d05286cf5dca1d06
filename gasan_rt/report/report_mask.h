/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports warp operations whose mask lacks the calling lane; the result of such an operation is undefined. Any
 * thread. */
#ifndef GASAN_RT_REPORT_MASK_H
#define GASAN_RT_REPORT_MASK_H

#include "gasan_rt/report/report.h"

/* Reports such an operation. For other faults, returns false and prints nothing. */
bool gasan_report_mask_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* Prints the first lines of the report. Also used for the CPU device's findings. */
void gasan_report_open_mask(const struct gasan_rt_device *state, uint32_t operation, uint32_t mask, uint32_t lane);

#endif
