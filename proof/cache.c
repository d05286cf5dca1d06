/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps a launch's key to the decision for that launch. The cache grows up to a bound. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "proof/kernel_claims.h"

#define FEWEST_DECISIONS 64u
#define MOST_DECISIONS 4096u
#define MOST_BYTES ((size_t)4 << 20) /* of one kernel's decisions */
#define MOST_KEY_WORDS 512u          /* comparing a longer key costs more than evaluating the claims */

struct cached {
  struct gasan_map_entry by_hash;
  struct gasan_proof_decision decision;
};

struct gasan_proof_cache {
  uint32_t key_words, root_count;
  uint64_t hash; /* of the launch's key */
  struct gasan_map map;
  struct cached *cached;       /* capacity */
  uint32_t count, capacity;    /* of cached[]: in use, and all; a power of two */
  struct gasan_bounds *bounds; /* root_count for each decision */
  uint64_t *keys;              /* key_words for the launch, then for each decision */
};

static void free_arrays(struct gasan_proof_cache *cache) {
  free(cache->map.buckets);
  free(cache->cached);
  free(cache->bounds);
  free(cache->keys);
}

/* Enlarges the cache to this capacity. Returns false, and leaves the cache unchanged, if there is no memory. */
static bool grow(struct gasan_proof_cache *cache, uint32_t capacity) {
  struct gasan_proof_cache larger = *cache;
  larger.capacity = capacity;
  larger.map.bits = (unsigned)__builtin_ctz(capacity);
  larger.map.buckets = calloc(capacity, sizeof *larger.map.buckets);
  larger.cached = calloc(capacity, sizeof *larger.cached);
  larger.bounds = calloc((size_t)capacity * cache->root_count + 1, sizeof *larger.bounds);
  larger.keys = calloc((size_t)(capacity + 1) * cache->key_words, sizeof *larger.keys);
  if (!larger.map.buckets || !larger.cached || !larger.bounds || !larger.keys) {
    free_arrays(&larger);
    return false;
  }
  if (cache->capacity) {
    memcpy(larger.keys, cache->keys, (size_t)(cache->count + 1) * cache->key_words * sizeof *cache->keys);
    memcpy(larger.bounds, cache->bounds, (size_t)cache->count * cache->root_count * sizeof *cache->bounds);
  }
  for (uint32_t i = 0; i < cache->count; i++) {
    larger.cached[i].decision = cache->cached[i].decision;
    gasan_map_insert(&larger.map, &larger.cached[i].by_hash, cache->cached[i].by_hash.key);
  }
  free_arrays(cache);
  *cache = larger;
  return true;
}

struct gasan_proof_cache *gasan_proof_cache_create(uint32_t key_words, uint32_t root_count) {
  if (key_words > MOST_KEY_WORDS)
    return NULL;
  struct gasan_proof_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->key_words = key_words;
  cache->root_count = root_count;
  if (grow(cache, FEWEST_DECISIONS))
    return cache;
  free(cache);
  return NULL;
}

void gasan_proof_cache_free(struct gasan_proof_cache *cache) {
  if (!cache)
    return;
  free_arrays(cache);
  free(cache);
}

/* Returns true if the cache may have twice as many decisions. */
static bool may_grow(const struct gasan_proof_cache *cache) {
  size_t each = sizeof *cache->cached + cache->root_count * sizeof *cache->bounds +
                cache->key_words * sizeof *cache->keys + sizeof *cache->map.buckets;
  return cache->capacity < MOST_DECISIONS && 2 * cache->capacity * each <= MOST_BYTES;
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

/* Returns the place for a decision under the current hash. Of two keys with the same hash, the map has only the later
 * one. A full cache grows. In a cache that must not grow, the hash selects the decision to replace. Replacing the
 * oldest decision would be worse: if launches repeat in a cycle longer than the cache, every decision would be replaced
 * before it is needed again. */
static struct cached *choose_place(struct gasan_proof_cache *cache) {
  struct cached *cached = find_hash(cache);
  if (cached)
    return cached;
  if (cache->count < cache->capacity || (may_grow(cache) && grow(cache, 2 * cache->capacity))) {
    cached = &cache->cached[cache->count++];
  } else {
    cached = &cache->cached[(cache->hash >> 40) % cache->capacity];
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
