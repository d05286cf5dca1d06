/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash map from numbers or addresses to entries. An entry is a member of its owner's struct.
 *
 * Finding takes no lock, and may run while another thread inserts. The caller locks insertions and removals. If entries
 * are ever removed, the caller also locks finding. The number of buckets is fixed, so chains grow with the number of
 * entries. */
#ifndef GASAN_BASE_MAP_H
#define GASAN_BASE_MAP_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_map_entry {
  uint64_t key;
  struct gasan_map_entry *_Atomic next;
};

struct gasan_map {
  struct gasan_map_entry *_Atomic *buckets; /* 2^bits of them */
  unsigned bits;
};

/* Defines an empty map as a static variable. */
#define GASAN_MAP(name, bucket_bits)                                                                                   \
  static struct gasan_map_entry *_Atomic name##_buckets[1u << (bucket_bits)];                                          \
  static struct gasan_map name = {name##_buckets, bucket_bits}

/* Returns the struct whose member the entry is; NULL for NULL. */
#define GASAN_MAP_OWNER(entry, type, member)                                                                           \
  ({                                                                                                                   \
    struct gasan_map_entry *entry_ = (entry);                                                                          \
    entry_ ? (type *)(void *)((char *)entry_ - offsetof(type, member)) : (type *)NULL;                                 \
  })

static inline struct gasan_map_entry *_Atomic *gasan_map_bucket(const struct gasan_map *map, uint64_t key) {
  return &map->buckets[key * 0x9e3779b97f4a7c15ull >> (64 - map->bits)];
}

/* Returns the first entry with the key, from this entry on, or NULL. The latest insertion comes first. */
static inline struct gasan_map_entry *gasan_map_find_from(struct gasan_map_entry *entry, uint64_t key) {
  while (entry && entry->key != key)
    entry = atomic_load_explicit(&entry->next, memory_order_acquire);
  return entry;
}

static inline struct gasan_map_entry *gasan_map_find(const struct gasan_map *map, uint64_t key) {
  return gasan_map_find_from(atomic_load_explicit(gasan_map_bucket(map, key), memory_order_acquire), key);
}

/* Returns the next entry with the same key, or NULL. */
static inline struct gasan_map_entry *gasan_map_find_next(const struct gasan_map_entry *entry) {
  return gasan_map_find_from(atomic_load_explicit(&entry->next, memory_order_acquire), entry->key);
}

static inline void gasan_map_insert(struct gasan_map *map, struct gasan_map_entry *entry, uint64_t key) {
  struct gasan_map_entry *_Atomic *bucket = gasan_map_bucket(map, key);
  entry->key = key;
  atomic_store_explicit(&entry->next, atomic_load_explicit(bucket, memory_order_relaxed), memory_order_relaxed);
  atomic_store_explicit(bucket, entry, memory_order_release);
}

/* Removes and returns the entry that gasan_map_find would return, or NULL. */
static inline struct gasan_map_entry *gasan_map_remove(struct gasan_map *map, uint64_t key) {
  struct gasan_map_entry *_Atomic *link = gasan_map_bucket(map, key);
  struct gasan_map_entry *entry;
  while ((entry = atomic_load_explicit(link, memory_order_relaxed)) && entry->key != key)
    link = &entry->next;
  if (entry)
    atomic_store_explicit(link, atomic_load_explicit(&entry->next, memory_order_relaxed), memory_order_relaxed);
  return entry;
}

/* Returns the entry after this one, in no particular order; the first entry for NULL; NULL after the last. */
static inline struct gasan_map_entry *gasan_map_next(const struct gasan_map *map, const struct gasan_map_entry *entry) {
  struct gasan_map_entry *next = entry ? atomic_load(&entry->next) : NULL;
  size_t bucket = entry ? (size_t)(gasan_map_bucket(map, entry->key) - map->buckets) + 1 : 0;
  while (!next && bucket < (size_t)1 << map->bits)
    next = atomic_load(&map->buckets[bucket++]);
  return next;
}

#endif
