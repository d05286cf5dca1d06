/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A model of GPUArmor's hardware (gpuarmor 5): lookaside buffers, the unit that searches the metadata, and caches.
 *
 * A launch takes as long as its slowest multiprocessor, and a multiprocessor as long as its busiest part:
 *   issue    warp instructions / 4
 *   memory   requests to the L1 cache, one a cycle: data, and loads of metadata
 *   latency  the sum of all latencies / warps that run together
 *   search   the time of all searches / searches that the unit makes at a time
 * docs/research-mlb.md lists the assumptions. */
#ifndef GASAN_BENCH_MLB_MODEL_H
#define GASAN_BENCH_MLB_MODEL_H

#include "bench/mlb/cache.h"
#include "bench/mlb/mlb_buffer.h"
#include "bench/mlb/stream.h"
#include "bench/mlb/structure.h"

struct mlb_latencies { /* cycles */
  uint32_t instruction, buffer, check, l1, l2, memory;
};

struct mlb_machine {
  uint32_t sms, share; /* share: so many multiprocessors have one buffer */
  uint32_t entries;    /* 0: no buffer */
  uint32_t searches;   /* that run at a time on a multiprocessor */
  bool random, hardware_only;
  enum mlb_structure structure;
  uint64_t l1_bytes, l2_bytes;
  struct mlb_latencies latencies;
};

/* GA100, and the check's 3 cycles of gpuarmor 8. */
struct mlb_machine mlb_machine_default(void);

struct mlb_result {
  uint64_t lookups, lookup_hits; /* LOADMETA; hardware only: each access */
  uint64_t checks, check_hits;   /* MEMCHECK.G; hardware only: none */
  uint64_t loads, l1_hits;       /* of metadata: 16 bytes each */
  uint64_t data;                 /* requests of the program */
  double base_cycles, cycles;
};

struct mlb_model;

/* Returns NULL if memory is short. */
struct mlb_model *mlb_model_make(struct mlb_machine machine);
void mlb_model_free(struct mlb_model *model);
/* Runs a launch. Caches and buffers keep their contents; the buffers are emptied if the allocations have changed. */
void mlb_model_run(struct mlb_model *model, const struct mlb_launch *launch, const struct mlb_stream *stream);
struct mlb_result mlb_model_result(const struct mlb_model *model);

#endif
