/* Reports of kernels that a device has stopped without saying where. Any thread. */
#ifndef GASAN_RT_REPORT_STOPPED_H
#define GASAN_RT_REPORT_STOPPED_H

#include "gasan_rt/report/report.h"

/* What CUDA calls the error, what it is reported as, and what it is about as the end of a sentence. */
struct gasan_device_stop {
  int error;
  const char *name;
  enum gasan_kind kind;
  const char *what;
};

/* The device has stopped a kernel, and no more is known. Names the launches that may have run. No report if all of their kernels are
 * suppressed. */
void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop);

/* Why no access of the launched kernel is checked, as what goes on behind "the kernel"; NULL: some may be. */
const char *gasan_report_unchecked(struct gasan_rt_device *state, const struct gasan_launch *launch);

#endif
