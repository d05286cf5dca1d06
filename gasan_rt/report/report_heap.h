/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports about the device heap. Any thread. */
#ifndef GASAN_RT_REPORT_HEAP_H
#define GASAN_RT_REPORT_HEAP_H

#include "gasan_rt/report/report.h"

/* Reports an access to the device heap, or a free in a kernel. For other faults, returns false and prints nothing. */
bool gasan_report_heap_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* Prints the device frames of an allocation or a free, and the launch below them. */
void gasan_report_print_heap_stack(const struct gasan_device_fault *event);

/* Returns true if a suppression type:PATTERN matches one of these frames. */
bool gasan_report_heap_suppressed(const struct gasan_device_fault *event, const char *type);

#endif
