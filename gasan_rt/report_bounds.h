/* Reports of accesses in BST mode: what the pointer belongs to is known, wherever it points. Any thread. */
#ifndef GASAN_RT_REPORT_BOUNDS_H
#define GASAN_RT_REPORT_BOUNDS_H

#include "gasan_rt/report.h"

void gasan_report_bounds_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

#endif
