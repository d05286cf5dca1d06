/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
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

#define GASAN_SUSPECT_KERNELS 8u

/* Launches from one place of the program that may have run. */
struct gasan_report_suspect {
  uint64_t count;
  uint32_t stack, thread; /* of the latest */
  bool is_graph;
  const char *kernels[GASAN_SUSPECT_KERNELS]; /* symbols: the one that was launched, or a graph's, each once */
  uint32_t kernel_count;                      /* 0: not known */
  uint32_t grid[3], block[3];
  const char
      *unchecked; /* why no access of the kernel is checked, as what goes on behind "the kernel"; NULL: some may be */
};

/* The device has stopped a kernel, and no more is known. Names the launches that may have run, the latest first, and
 * how many `others`; sorts them. No report if all of their kernels are suppressed. */
void gasan_report_stopped(struct gasan_rt_device *state, const struct gasan_device_stop *stop,
                          struct gasan_report_suspect *suspects, uint32_t count, uint64_t others);

#endif
