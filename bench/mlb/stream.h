/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The requests of a launch in the order in which multiprocessors make them.
 *
 * A request is a distinct line of memory of a warp's record, with the allocation of its first address: a warp's
 * addresses are coalesced by lines of 128 bytes. Addresses outside of all allocations are counted and make no request:
 * such a pointer has tag 0, and GPUArmor checks nothing. */
#ifndef GASAN_BENCH_MLB_STREAM_H
#define GASAN_BENCH_MLB_STREAM_H

#include "bench/mlb/trace_file.h"

struct mlb_request {
  uint64_t line, allocation;
};

struct mlb_step {                  /* a record */
  uint32_t sm, block, warp, round; /* round: the number of the record in its warp */
  uint32_t wave;                   /* blocks of one wave run together */
  uint64_t place;                  /* in the trace */
  uint64_t first;                  /* index of the first request */
  uint32_t requests, type;
};

struct mlb_stream {
  struct mlb_step *steps;
  struct mlb_request *requests;
  uint64_t step_count, request_count, unknown; /* unknown: addresses outside of all allocations */
  uint32_t resident;                           /* warps that run together on a multiprocessor */
};

#define MLB_RESIDENT_WARPS 64u
#define MLB_RESIDENT_BLOCKS 32u

/* Returns the allocation with the address, or MLB_NONE (mlb_buffer.h). */
uint64_t mlb_find_allocation(const struct mlb_launch *launch, uint64_t address);

/* Makes the stream. `cpu`: the trace knows no multiprocessor. The b-th traced block then runs on b % sms, and the warps
 * of the blocks that fit a multiprocessor take turns, a record each. Else the order is that of the trace. Returns false
 * if memory is short. The stream must be freed in both cases. */
bool mlb_stream_make(struct mlb_stream *stream, const struct mlb_launch *launch, bool cpu, uint32_t sms);
void mlb_stream_free(struct mlb_stream *stream);

/* Sorts the steps: those of each warp, or of each block, one after the other. Each keeps its order. */
void mlb_stream_by_warp(struct mlb_stream *stream);
void mlb_stream_by_block(struct mlb_stream *stream);

#endif
