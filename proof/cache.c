/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decisions by what they depend on. A small table a kernel: a decision's place comes from its key's hash, and another
 * one with the same place takes it. */
#include <stdlib.h>
#include <string.h>

#include "proof/internal.h"

#define PLACES 64u
#define MOST_KEY_WORDS 512u /* a longer key costs more to compare than the claims cost to evaluate */

struct gasan_proof_cache {
  uint32_t key_words, root_count;
  uint32_t place; /* of the key that was looked for last */
  bool known[PLACES];
  struct gasan_proof_decision decisions[PLACES];
  struct gasan_bounds *bounds; /* root_count a place */
  uint64_t *key;               /* the launch's, and then the places' */
};

struct gasan_proof_cache *gasan_proof_cache_create(uint32_t key_words, uint32_t root_count) {
  if (key_words > MOST_KEY_WORDS)
    return NULL;
  struct gasan_proof_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->key_words = key_words;
  cache->root_count = root_count;
  cache->bounds = calloc((size_t)PLACES * root_count + 1, sizeof *cache->bounds);
  cache->key = calloc((size_t)(PLACES + 1) * key_words, sizeof *cache->key);
  if (cache->bounds && cache->key)
    return cache;
  gasan_proof_cache_free(cache);
  return NULL;
}

void gasan_proof_cache_free(struct gasan_proof_cache *cache) {
  if (!cache)
    return;
  free(cache->bounds);
  free(cache->key);
  free(cache);
}

uint64_t *gasan_proof_cache_key(struct gasan_proof_cache *cache) {
  return cache->key;
}

static uint64_t *key_at(struct gasan_proof_cache *cache, uint32_t place) {
  return cache->key + (size_t)(place + 1) * cache->key_words;
}

struct gasan_proof_decision *gasan_proof_cache_find(struct gasan_proof_cache *cache, struct gasan_bounds **bounds) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < cache->key_words; i++)
    hash = (hash ^ cache->key[i]) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
  cache->place = (uint32_t)(hash >> 40) % PLACES;
  *bounds = cache->bounds + (size_t)cache->place * cache->root_count;
  return cache->known[cache->place] &&
                 memcmp(cache->key, key_at(cache, cache->place), cache->key_words * sizeof *cache->key) == 0
             ? &cache->decisions[cache->place]
             : NULL;
}

void gasan_proof_cache_keep(struct gasan_proof_cache *cache, const struct gasan_proof_decision *decision,
                            const struct gasan_bounds *bounds) {
  uint32_t place = cache->place;
  cache->known[place] = true;
  cache->decisions[place] = *decision;
  memcpy(key_at(cache, place), cache->key, cache->key_words * sizeof *cache->key);
  if (cache->root_count)
    memcpy(cache->bounds + (size_t)place * cache->root_count, bounds, cache->root_count * sizeof *bounds);
}
