/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Working sets of allocations, and caches that software could have. */
#ifndef GASAN_BENCH_MLB_SETS_H
#define GASAN_BENCH_MLB_SETS_H

#include "bench/mlb/stream.h"

#define MLB_DEEPEST 4096u

/* The accesses of each multiprocessor by their LRU distance: an access at distance d hits in a buffer of d or more
 * entries. */
struct mlb_working_set {
  uint32_t sms;
  uint64_t *stacks;             /* [sms][MLB_DEEPEST], the most recent allocation first */
  uint32_t *used;               /* [sms] */
  uint64_t at[MLB_DEEPEST + 1]; /* at[d]: accesses at distance d, from 1 */
  uint64_t first;               /* the allocation's first access, or one that is deeper */
};

bool mlb_working_set_make(struct mlb_working_set *set, uint32_t sms);
void mlb_working_set_free(struct mlb_working_set *set);
void mlb_working_set_run(struct mlb_working_set *set, const struct mlb_launch *launch, const struct mlb_stream *stream);
/* Returns the entries that suffice for this share, 0 to 1, of the accesses that are not first ones. */
uint32_t mlb_working_set_entries(const struct mlb_working_set *set, double share);

#define MLB_SOFTWARE_CACHES 4

/* Hits of root lookups in LRU caches: of 1, 2, 4 and 8 entries a warp, and of 8, 16, 32 and 64 entries a block. All
 * are empty when the warp or block begins. */
struct mlb_software {
  uint64_t lookups, warp_hits[MLB_SOFTWARE_CACHES], block_hits[MLB_SOFTWARE_CACHES];
};
extern const uint32_t mlb_warp_entries[MLB_SOFTWARE_CACHES], mlb_block_entries[MLB_SOFTWARE_CACHES];

/* Sorts the stream's steps. */
void mlb_software_run(struct mlb_software *software, struct mlb_stream *stream);

#endif
