/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/stream.h"

#include <stdlib.h>

#include "bench/mlb/cache.h"
#include "bench/mlb/mlb_buffer.h"

#define ORDER(member)                                                                                                  \
  if (a->member != b->member)                                                                                          \
  return a->member < b->member ? -1 : 1
#define COMPARE(name, body)                                                                                            \
  static int name(const void *left, const void *right) {                                                               \
    const struct mlb_step *a = left, *b = right;                                                                       \
    body;                                                                                                              \
    return 0;                                                                                                          \
  }

COMPARE(by_warp, ORDER(block); ORDER(warp); ORDER(place))
COMPARE(by_block, ORDER(block); ORDER(round); ORDER(warp); ORDER(place))
COMPARE(by_turns, ORDER(wave); ORDER(round); ORDER(sm); ORDER(block); ORDER(warp); ORDER(place))
COMPARE(by_trace, ORDER(place))

uint64_t mlb_find_allocation(const struct mlb_launch *launch, uint64_t address) {
  uint64_t low = 0, high = launch->allocation_count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (launch->allocations[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low || address - launch->allocations[low - 1].base >= launch->allocations[low - 1].size)
    return MLB_NONE;
  return low - 1;
}

static uint32_t warps_per_block(const struct mlb_launch *launch) {
  const uint32_t *block = launch->head.block;
  return (block[0] * block[1] * block[2] + 31) / 32;
}

static void add_requests(struct mlb_stream *stream, const struct mlb_launch *launch, const struct mlb_record *record,
                         struct mlb_step *step) {
  step->first = stream->request_count;
  uint64_t last = MLB_NONE; /* the lanes of a warp are often in one allocation */
  for (uint32_t lane = 0; lane < record->lanes; lane++) {
    const uint64_t address = record->addresses[lane], line = address / MLB_LINE;
    bool known = false;
    for (uint64_t i = step->first; i < stream->request_count && !known; i++)
      known = stream->requests[i].line == line;
    if (known)
      continue;
    if (last == MLB_NONE || address - launch->allocations[last].base >= launch->allocations[last].size)
      last = mlb_find_allocation(launch, address);
    if (last == MLB_NONE)
      stream->unknown++;
    else
      stream->requests[stream->request_count++] = (struct mlb_request){line, last};
  }
  step->requests = (uint32_t)(stream->request_count - step->first);
}

bool mlb_stream_make(struct mlb_stream *stream, const struct mlb_launch *launch, bool cpu, uint32_t sms) {
  const uint64_t words = launch->head.record_words;
  *stream = (struct mlb_stream){0};
  struct mlb_record record;
  uint64_t records = 0, lanes = 0;
  for (uint64_t at = 0; mlb_record_next(launch, &at, &record); records++)
    lanes += record.lanes;
  stream->steps = malloc((records + 1) * sizeof *stream->steps);
  stream->requests = malloc((lanes + 1) * sizeof *stream->requests);
  if (!stream->steps || !stream->requests)
    return false;
  const uint32_t warps = warps_per_block(launch), sample = launch->sample ? launch->sample : 1;
  uint32_t blocks = warps ? MLB_RESIDENT_WARPS / warps : 1;
  blocks = blocks < 1 ? 1 : blocks > MLB_RESIDENT_BLOCKS ? MLB_RESIDENT_BLOCKS : blocks;
  for (uint64_t at = 0; at < words && mlb_record_next(launch, &at, &record);) {
    struct mlb_step *step = &stream->steps[stream->step_count];
    const uint32_t number = record.head.block / sample; /* among the traced blocks */
    *step = (struct mlb_step){.sm = (cpu ? number : record.head.sm) % sms,
                              .block = record.head.block,
                              .warp = record.head.warp,
                              .wave = number / sms / blocks,
                              .place = stream->step_count++,
                              .type = record.head.type};
    add_requests(stream, launch, &record, step);
  }
  const uint64_t grid = (uint64_t)launch->head.grid[0] * launch->head.grid[1] * launch->head.grid[2],
                 share = ((grid + sample - 1) / sample + sms - 1) / sms;
  stream->resident = warps ? (uint32_t)(share < blocks ? share : blocks) * warps : MLB_RESIDENT_WARPS; /* a graph */
  mlb_stream_by_warp(stream);
  for (uint64_t i = 0; i < stream->step_count; i++) {
    const struct mlb_step *before = i ? &stream->steps[i - 1] : NULL, *step = &stream->steps[i];
    stream->steps[i].round =
        before && before->block == step->block && before->warp == step->warp ? before->round + 1 : 0;
  }
  qsort(stream->steps, stream->step_count, sizeof *stream->steps, cpu ? by_turns : by_trace);
  return true;
}

void mlb_stream_free(struct mlb_stream *stream) {
  free(stream->steps);
  free(stream->requests);
}

void mlb_stream_by_warp(struct mlb_stream *stream) {
  qsort(stream->steps, stream->step_count, sizeof *stream->steps, by_warp);
}

void mlb_stream_by_block(struct mlb_stream *stream) {
  qsort(stream->steps, stream->step_count, sizeof *stream->steps, by_block);
}
