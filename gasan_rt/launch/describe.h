/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Completes a fault's record for its report: finds the launch, the site table and the memory of the pointer. Any
 * thread; no lock of its own; does not take the report lock. */
#ifndef GASAN_RT_DESCRIBE_H
#define GASAN_RT_DESCRIBE_H

#include "base/abi.h"
#include "base/heap.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_view.h"

struct gasan_launch;

/* A fault, with the objects that `fault` refers to. */
struct gasan_fault_description {
  struct gasan_device_fault fault;
  struct gasan_report_heap heap;
  struct gasan_view view;
};

/* Describes a fault of `threads` threads; `record` is that of the first one. The description must not be copied,
 * because it points into itself. */
void gasan_describe_fault(struct gasan_rt_device *state, const struct gasan_record *record, uint64_t threads,
                          struct gasan_fault_description *description);

/* Describes an allocation or a free in a kernel as a fault, of which only the place and the thread are printed. */
struct gasan_device_fault gasan_describe_event(struct gasan_rt_device *state, const struct gasan_heap_event *event);

struct gasan_report_launch gasan_describe_launch(const struct gasan_launch *launch);

#endif
