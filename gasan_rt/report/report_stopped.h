/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports kernels that a device has stopped, by all that is known: the launches that may have run, the kernel's log, a
 * core dump. Any thread. */
#ifndef GASAN_RT_REPORT_STOPPED_H
#define GASAN_RT_REPORT_STOPPED_H

#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_place.h"
#include "gasan_rt/report/report_suspects.h"

/* An error that stops a kernel: CUDA's name, the kind of the report, and a text that ends its sentence. */
struct gasan_device_stop {
  int error;
  const char *name;
  enum gasan_kind kind;
  const char *what;
};

struct gasan_stopped {
  const struct gasan_device_stop *stop;
  const struct gasan_evidence *evidence;
  struct gasan_stop_place place;
  struct gasan_report_suspect *suspects; /* latest first */
  uint32_t count;
  uint64_t others;
  bool of_kernel; /* the suspects are the launches of the core dump's kernel */
};

/* Reports that the device has stopped a kernel. Sorts the suspects. Prints nothing if all kernels of the suspects are
 * suppressed. */
void gasan_report_stopped(struct gasan_rt_device *state, struct gasan_stopped *stopped);

#endif
