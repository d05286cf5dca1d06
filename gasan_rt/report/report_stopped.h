/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports kernels that a device has stopped without saying where. Any thread. */
#ifndef GASAN_RT_REPORT_STOPPED_H
#define GASAN_RT_REPORT_STOPPED_H

#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_suspects.h"

/* An error that stops a kernel: CUDA's name, the kind of the report, and a text that ends its sentence. */
struct gasan_device_stop {
  int error;
  const char *name;
  enum gasan_kind kind;
  const char *what;
};

/* Reports that the device has stopped an unknown kernel. Names the launches that may have run, latest first, and the
 * number of `others`. Sorts `suspects`. Prints nothing if all kernels of the suspects are suppressed. */
void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                          struct gasan_report_suspect *suspects, uint32_t count, uint64_t others);

#endif
