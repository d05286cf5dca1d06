/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report needs to know of a fault: from a record to its launch, its site table and the memory that the pointer
 * belongs to. Any thread; no lock of its own, and none of the report room's. */
#ifndef GASAN_RT_DESCRIBE_H
#define GASAN_RT_DESCRIBE_H

#include "base/abi.h"
#include "base/heap.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_view.h"

struct gasan_launch;

/* A fault, and what it points to. */
struct gasan_fault_description {
  struct gasan_device_fault fault;
  struct gasan_report_heap heap;
  struct gasan_view view;
};

/* `record`: of the first of so many threads. The description must not be copied. */
void gasan_describe_fault(struct gasan_rt_device *state, const struct gasan_record *record, uint64_t threads,
                          struct gasan_fault_description *description);

/* An allocation or a free in a kernel, as if it were a fault of its thread: all that is printed of it is where and by
 * whom. */
struct gasan_device_fault gasan_describe_event(struct gasan_rt_device *state, const struct gasan_heap_event *event);

struct gasan_report_launch gasan_describe_launch(const struct gasan_launch *launch);

#endif
