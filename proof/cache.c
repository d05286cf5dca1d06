/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from a launch's key to the decision for that launch, of bounded size. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "proof/kernel_claims.h"

#define MOST_DECISIONS 64u
#define BUCKET_BITS 6u
#define MOST_KEY_WORDS 512u /* comparing a longer key costs more than evaluating the claims */

struct cached {
  struct gasan_map_entry by_hash;
  struct gasan_proof_decision decision;
};

struct gasan_proof_cache {
  uint32_t key_words, root_count;
  uint64_t hash; /* of the launch's key */
  struct gasan_map map;
  struct gasan_map_entry *_Atomic buckets[1u << BUCKET_BITS];
  struct cached cached[MOST_DECISIONS];
  uint32_t count;              /* of cached[] in use */
  struct gasan_bounds *bounds; /* root_count for each decision */
  uint64_t *keys;              /* key_words for the launch, then for each decision */
};

struct gasan_proof_cache *gasan_proof_cache_create(uint32_t key_words, uint32_t root_count) {
  if (key_words > MOST_KEY_WORDS)
    return NULL;
  struct gasan_proof_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->key_words = key_words;
  cache->root_count = root_count;
  cache->map = (struct gasan_map){cache->buckets, BUCKET_BITS};
  cache->bounds = calloc((size_t)MOST_DECISIONS * root_count + 1, sizeof *cache->bounds);
  cache->keys = calloc((size_t)(MOST_DECISIONS + 1) * key_words, sizeof *cache->keys);
  if (cache->bounds && cache->keys)
    return cache;
  gasan_proof_cache_free(cache);
  return NULL;
}

void gasan_proof_cache_free(struct gasan_proof_cache *cache) {
  if (!cache)
    return;
  free(cache->bounds);
  free(cache->keys);
  free(cache);
}

uint64_t *gasan_proof_cache_key(struct gasan_proof_cache *cache) {
  return cache->keys;
}

static uint64_t *key_of(struct gasan_proof_cache *cache, const struct cached *cached) {
  return cache->keys + (size_t)(cached - cache->cached + 1) * cache->key_words;
}

static struct gasan_bounds *bounds_of(struct gasan_proof_cache *cache, const struct cached *cached) {
  return cache->bounds + (size_t)(cached - cache->cached) * cache->root_count;
}

static uint64_t hash_key(const struct gasan_proof_cache *cache) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < cache->key_words; i++)
    hash = (hash ^ cache->keys[i]) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
  return hash;
}

static struct cached *find_hash(const struct gasan_proof_cache *cache) {
  return GASAN_MAP_OWNER(gasan_map_find(&cache->map, cache->hash), struct cached, by_hash);
}

struct gasan_proof_decision *gasan_proof_cache_find(struct gasan_proof_cache *cache, struct gasan_bounds **bounds) {
  cache->hash = hash_key(cache);
  struct cached *cached = find_hash(cache);
  if (!cached || memcmp(cache->keys, key_of(cache, cached), cache->key_words * sizeof *cache->keys) != 0)
    return NULL;
  *bounds = bounds_of(cache, cached);
  return &cached->decision;
}

/* Returns the place for a decision under the current hash. Of two keys with one hash, the map has the later one only.
 * In a full cache, the hash chooses the decision to replace: replacing the oldest would lose every decision of launches
 * that repeat in a cycle longer than the cache. */
static struct cached *choose_place(struct gasan_proof_cache *cache) {
  struct cached *cached = find_hash(cache);
  if (cached)
    return cached;
  if (cache->count < MOST_DECISIONS) {
    cached = &cache->cached[cache->count++];
  } else {
    cached = &cache->cached[(cache->hash >> 40) % MOST_DECISIONS];
    gasan_map_remove(&cache->map, cached->by_hash.key);
  }
  gasan_map_insert(&cache->map, &cached->by_hash, cache->hash);
  return cached;
}

void gasan_proof_cache_keep(struct gasan_proof_cache *cache, const struct gasan_proof_decision *decision,
                            const struct gasan_bounds *bounds) {
  struct cached *cached = choose_place(cache);
  cached->decision = *decision;
  memcpy(key_of(cache, cached), cache->keys, cache->key_words * sizeof *cache->keys);
  if (cache->root_count)
    memcpy(bounds_of(cache, cached), bounds, cache->root_count * sizeof *bounds);
}
