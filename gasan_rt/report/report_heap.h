/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What reports say of the device heap. Any thread. */
#ifndef GASAN_RT_REPORT_HEAP_H
#define GASAN_RT_REPORT_HEAP_H

#include "gasan_rt/report/report.h"

/* An access to the device heap, or a free in a kernel. False: it is neither, and nothing is printed. */
bool gasan_report_heap_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* The device frames of an allocation or a free, and the launch below them. */
void gasan_report_print_heap_stack(const struct gasan_device_fault *event);

/* Is there a suppression type:PATTERN for one of these frames? */
bool gasan_report_heap_suppressed(const struct gasan_device_fault *event, const char *type);

#endif
