/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/sets.h"

#include <stdlib.h>
#include <string.h>

#include "bench/mlb/mlb_buffer.h"

const uint32_t mlb_warp_entries[MLB_SOFTWARE_CACHES] = {1, 2, 4, 8};
const uint32_t mlb_block_entries[MLB_SOFTWARE_CACHES] = {8, 16, 32, 64};

bool mlb_working_set_make(struct mlb_working_set *set, uint32_t sms) {
  *set = (struct mlb_working_set){.sms = sms,
                                  .stacks = malloc((uint64_t)sms * MLB_DEEPEST * sizeof *set->stacks),
                                  .used = calloc(sms, sizeof *set->used)};
  return set->stacks && set->used;
}

void mlb_working_set_free(struct mlb_working_set *set) {
  free(set->stacks);
  free(set->used);
}

static void touch(struct mlb_working_set *set, uint32_t sm, uint64_t allocation) {
  uint64_t *stack = set->stacks + (uint64_t)sm * MLB_DEEPEST;
  uint32_t depth = 0;
  while (depth < set->used[sm] && stack[depth] != allocation)
    depth++;
  if (depth < set->used[sm]) {
    set->at[depth + 1]++;
  } else {
    set->first++;
    if (set->used[sm] < MLB_DEEPEST)
      set->used[sm]++;
    depth = set->used[sm] - 1;
  }
  memmove(stack + 1, stack, depth * sizeof *stack);
  stack[0] = allocation;
}

void mlb_working_set_run(struct mlb_working_set *set, const struct mlb_launch *launch,
                         const struct mlb_stream *stream) {
  if (launch->changed) /* the numbers of the allocations are new */
    memset(set->used, 0, set->sms * sizeof *set->used);
  for (uint64_t i = 0; i < stream->step_count; i++) {
    const struct mlb_step *step = &stream->steps[i];
    for (uint32_t r = 0; step->type != GASAN_TRACE_LOOKUP && r < step->requests; r++)
      touch(set, step->sm, stream->requests[step->first + r].allocation);
  }
}

uint32_t mlb_working_set_entries(const struct mlb_working_set *set, double share) {
  double all = 0, covered = 0;
  for (uint32_t d = 1; d <= MLB_DEEPEST; d++)
    all += (double)set->at[d];
  uint32_t d = 0;
  while (d < MLB_DEEPEST && covered < share * all)
    covered += (double)set->at[++d];
  return d;
}

static bool hits(struct mlb_buffer *buffer, uint64_t allocation) {
  if (mlb_buffer_find(buffer, allocation))
    return true;
  mlb_buffer_put(buffer, allocation);
  return false;
}

static void run_caches(const struct mlb_stream *stream, const uint32_t *entries, bool of_warps, uint64_t *hit) {
  struct mlb_buffer buffers[MLB_SOFTWARE_CACHES];
  const struct mlb_step *before = NULL;
  for (uint64_t i = 0; i < stream->step_count; i++) {
    const struct mlb_step *step = &stream->steps[i];
    if (!before || before->block != step->block || (of_warps && before->warp != step->warp))
      for (int c = 0; c < MLB_SOFTWARE_CACHES; c++)
        buffers[c] = (struct mlb_buffer){.entries = entries[c]};
    before = step;
    for (uint32_t r = 0; step->type == GASAN_TRACE_LOOKUP && r < step->requests; r++)
      for (int c = 0; c < MLB_SOFTWARE_CACHES; c++)
        hit[c] += hits(&buffers[c], stream->requests[step->first + r].allocation);
  }
}

void mlb_software_run(struct mlb_software *software, struct mlb_stream *stream) {
  for (uint64_t i = 0; i < stream->step_count; i++)
    if (stream->steps[i].type == GASAN_TRACE_LOOKUP)
      software->lookups += stream->steps[i].requests;
  mlb_stream_by_warp(stream);
  run_caches(stream, mlb_warp_entries, true, software->warp_hits);
  mlb_stream_by_block(stream);
  run_caches(stream, mlb_block_entries, false, software->block_hits);
}
