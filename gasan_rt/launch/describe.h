/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Completes a fault's record for its report: finds the launch, the site table, and the memory that the pointer belongs
 * to. Any thread; no lock of its own; does not take the report lock. */
#ifndef GASAN_RT_DESCRIBE_H
#define GASAN_RT_DESCRIBE_H

#include "base/abi.h"
#include "base/heap.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_view.h"
#include "proof/explain.h"

struct gasan_launch;

/* A fault, together with the data to which `fault` points. */
struct gasan_fault_description {
  struct gasan_device_fault fault;
  struct gasan_report_heap heap;
  struct gasan_view view;
  struct gasan_proof_explanation why;
};

/* Describes a fault of `threads` threads. `record` is the record of the first of them. The description points into
 * itself, so it must not be copied. */
void gasan_describe_fault(struct gasan_rt_device *state, const struct gasan_record *record, uint64_t threads,
                          struct gasan_fault_description *description);

/* Describes an allocation or a free in a kernel as a fault. Reports print only its place and its thread. */
struct gasan_device_fault gasan_describe_event(struct gasan_rt_device *state, const struct gasan_heap_event *event);

struct gasan_report_launch gasan_describe_launch(const struct gasan_launch *launch);

#endif
