/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads traces of accesses (base/trace_format.h, docs/internals/trace.md). Single-threaded; no locks. */
#ifndef GASAN_BENCH_TRACE_FILE_H
#define GASAN_BENCH_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/trace_format.h"

struct mlb_allocation {
  uint64_t base, size;
};

/* A record with its lanes' addresses: address of the i-th active lane. */
struct mlb_record {
  struct gasan_trace_record head;
  uint32_t lanes;
  uint64_t addresses[32];
};

/* One launch. The pointers are valid until the next call of mlb_trace_next. */
struct mlb_launch {
  struct gasan_trace_launch head;
  const char *name;
  const struct mlb_allocation *allocations; /* in the order of addresses */
  uint64_t allocation_count;
  uint32_t sample;       /* one of so many blocks has records; 0: as 1 */
  bool changed;          /* the allocations are not those of the launch before */
  const uint64_t *words; /* the records: for mlb_record_next */
};

struct mlb_trace;

/* Opens a trace. Returns NULL, after a message on standard error, if there is none. */
struct mlb_trace *mlb_trace_open(const char *path);
void mlb_trace_close(struct mlb_trace *trace);
const struct gasan_trace_file *mlb_trace_head(const struct mlb_trace *trace);

/* Reads the next launch. Returns 0 at the end, -1 after a message if the file is damaged, else 1. */
int mlb_trace_next(struct mlb_trace *trace, struct mlb_launch *launch);

/* Reads the record at word *at of the launch, and moves *at behind it. Returns false at the end. mlb_trace_next has
 * checked all records. */
bool mlb_record_next(const struct mlb_launch *launch, uint64_t *at, struct mlb_record *record);

#endif
