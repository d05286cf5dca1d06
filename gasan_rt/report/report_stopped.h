/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports kernels that a device has stopped, by all that is known: the launches that may have run, the kernel's log, a
 * core dump. Any thread. */
#ifndef GASAN_RT_REPORT_STOPPED_H
#define GASAN_RT_REPORT_STOPPED_H

#include "gasan_rt/evidence/evidence.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_place.h"

/* An error that stops a kernel: CUDA's name, the kind of the report, and a text that ends its sentence. */
struct gasan_device_stop {
  int error;
  const char *name;
  enum gasan_kind kind;
  const char *what;
};

#define GASAN_SUSPECT_KERNELS 8u

/* Launches with the same host stack that may have run. */
struct gasan_report_suspect {
  uint64_t count;
  uint32_t stack, thread; /* of the latest launch */
  bool is_graph;
  const char *kernels[GASAN_SUSPECT_KERNELS]; /* symbols: of the launched kernel, or of a graph's, each once */
  uint32_t kernel_count;                      /* 0: not known */
  uint32_t grid[3], block[3];
  /* The reason why the kernel has no checks, as text to follow "the kernel"; NULL: it may have checks. */
  const char *unchecked;
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
