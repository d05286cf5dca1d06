/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/cache.h"

#include <stdlib.h>
#include <string.h>

bool mlb_cache_make(struct mlb_cache *cache, uint64_t bytes) {
  cache->sets = bytes / (MLB_LINE * MLB_WAYS);
  cache->lines = calloc(cache->sets * MLB_WAYS, sizeof *cache->lines);
  return cache->lines;
}

void mlb_cache_free(struct mlb_cache *cache) {
  free(cache->lines);
}

bool mlb_cache_load(struct mlb_cache *cache, uint64_t address) {
  const uint64_t line = address / MLB_LINE + 1;
  uint64_t *set = cache->lines + (line - 1) % cache->sets * MLB_WAYS;
  uint32_t way = 0;
  while (way < MLB_WAYS - 1 && set[way] != line)
    way++;
  const bool hit = set[way] == line;
  memmove(set + 1, set, way * sizeof *set);
  set[0] = line;
  return hit;
}
