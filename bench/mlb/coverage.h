/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pointers by which checked accesses found their bounds (GPUArmor, figure 8). */
#ifndef GASAN_BENCH_MLB_COVERAGE_H
#define GASAN_BENCH_MLB_COVERAGE_H

#include "bench/mlb/trace_file.h"

/* Accesses of lanes to allocations, by the latest pointer into the allocation that the lane has looked up. */
struct mlb_coverage {
  uint64_t base;    /* the pointer is the allocation's base: every overflow is found */
  uint64_t inside;  /* it is inside of the allocation, and not the accessed address */
  uint64_t address; /* it is the accessed address itself */
  uint64_t none;    /* the lane has looked up none in this launch */
};

/* Returns false if memory is short. */
bool mlb_coverage_run(struct mlb_coverage *coverage, const struct mlb_launch *launch);

#endif
