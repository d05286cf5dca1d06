/* Reports of accesses to arrays, through texture and surface objects and by copies. Any thread. */
#ifndef GASAN_RT_REPORT_VIEW_H
#define GASAN_RT_REPORT_VIEW_H

#include "gasan_rt/arrays.h"
#include "gasan_rt/report.h"

/* False: the fault is another one. */
bool gasan_report_view_fault(const struct gasan_device_fault *fault, const struct gasan_site *site);

/* What a copy reads or writes of an array; x and width in bytes. */
struct gasan_array_part {
  size_t x, y, z, width, height, depth;
};

/* False, all of these: it is suppressed, and the call is to be made as if nothing were wrong. */
bool gasan_report_array_overflow(const char *api, const struct gasan_array *array, bool write,
                                 const struct gasan_array_part *part);
bool gasan_report_freed_array(const char *api, const struct gasan_array *array, bool write);
bool gasan_report_array_double_free(const struct gasan_array *array, const struct gasan_pool_caller *caller);

#endif
