/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set-associative cache with LRU replacement, which holds addresses of lines only. */
#ifndef GASAN_BENCH_MLB_CACHE_H
#define GASAN_BENCH_MLB_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#define MLB_LINE 128u
#define MLB_WAYS 16u

struct mlb_cache {
  uint64_t sets;
  uint64_t *lines; /* [sets][MLB_WAYS]; each set has the most recent line first; 0: none */
};

/* Makes an empty cache of so many bytes, a multiple of MLB_LINE * MLB_WAYS. Returns false if memory is short. */
bool mlb_cache_make(struct mlb_cache *cache, uint64_t bytes);
void mlb_cache_free(struct mlb_cache *cache);
/* Loads the line of an address. Returns whether it was there. */
bool mlb_cache_load(struct mlb_cache *cache, uint64_t address);

#endif
