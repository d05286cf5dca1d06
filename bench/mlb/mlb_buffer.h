/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A metadata lookaside buffer: a fully associative buffer of allocations, with LRU or random replacement. */
#ifndef GASAN_BENCH_MLB_MLB_BUFFER_H
#define GASAN_BENCH_MLB_MLB_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define MLB_MOST_ENTRIES 64u
#define MLB_NONE UINT64_MAX

/* All 0 is an empty buffer of no entries. An entry is the number of an allocation: the ranges of live allocations do
 * not overlap, so the entry whose range covers an address is the entry of its allocation. */
struct mlb_buffer {
  uint32_t entries, used; /* used <= entries <= MLB_MOST_ENTRIES */
  bool random;
  uint64_t state;                         /* of the random numbers */
  uint64_t allocations[MLB_MOST_ENTRIES]; /* LRU: the most recent first */
};

/* Returns whether the allocation is there. LRU: makes it the most recent. */
bool mlb_buffer_find(struct mlb_buffer *buffer, uint64_t allocation);
/* Puts an allocation in, which must not be there, in place of another one if all entries are used. */
void mlb_buffer_put(struct mlb_buffer *buffer, uint64_t allocation);

#endif
