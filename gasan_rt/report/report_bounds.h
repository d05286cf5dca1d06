/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of accesses in BST mode: what the pointer belongs to is known, wherever it points. Any thread. */
#ifndef GASAN_RT_REPORT_BOUNDS_H
#define GASAN_RT_REPORT_BOUNDS_H

#include "gasan_rt/report/report.h"

void gasan_report_bounds_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* The device has stopped the kernel with this CUDA error. It followed `others` + 1 pointers to no known memory; this is
 * the likeliest. */
void gasan_report_unknown_address(const struct gasan_device_fault *fault, int error, uint32_t others);

#endif
