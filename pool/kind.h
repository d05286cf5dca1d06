/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The two kinds of pool behind pool/pool.h (private to pool/): one with an address window (pool/window_pool.h), and one
 * that moves its chunks and gives out handles (pool/moving_pool.h). gasan_pool_create chooses the kind once.
 *
 * Each operation has the contract of the public function of the same name. Operations take the pool's lock themselves,
 * except where pool/pool.h says "No lock". */
#ifndef GASAN_POOL_KIND_H
#define GASAN_POOL_KIND_H

#include <pthread.h>

#include "pool/pool.h"

struct gasan_pool_kind {
  /* The pool is not NULL. Frees the pool too. */
  void (*destroy)(struct gasan_pool *pool);

  struct gasan_status (*allocate)(struct gasan_pool *pool, uint64_t size, struct gasan_pool_caller caller,
                                  uint64_t *address);
  enum gasan_pool_free_result (*free)(struct gasan_pool *pool, uint64_t address, struct gasan_pool_caller caller,
                                      struct gasan_chunk *chunk);

  bool (*owns)(const struct gasan_pool *pool, uint64_t address);
  bool (*find)(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk);
  bool (*covers)(struct gasan_pool *pool, uint64_t address, uint64_t size, uint64_t *fault);
  void (*each_live)(struct gasan_pool *pool, bool (*visit)(const struct gasan_chunk *chunk, void *context),
                    void *context);
  void (*counters)(struct gasan_pool *pool, struct gasan_pool_counters *counters);

  struct gasan_status (*translate)(struct gasan_pool *pool, uint64_t pointer, bool pin, uint64_t *address);
  uint64_t (*pointer_to)(struct gasan_pool *pool, uint64_t address);
  uint64_t (*handle_table)(const struct gasan_pool *pool);

  void (*params)(const struct gasan_pool *pool, struct gasan_params *params);
  struct gasan_status (*add_lookup)(struct gasan_pool *pool);
  bool (*bounds)(struct gasan_pool *pool, uint64_t address, struct gasan_bounds *bounds);
  uint64_t (*epoch)(const struct gasan_pool *pool);
  struct gasan_status (*flush)(struct gasan_pool *pool);
  struct gasan_status (*allow_peer)(struct gasan_pool *pool, int peer, bool may);
};

/* The part that both kinds have; each kind's own struct begins with it. */
struct gasan_pool {
  const struct gasan_pool_kind *kind;
  struct gasan_device *device;
  struct gasan_pool_options options;
  struct gasan_shadow *shadow; /* NULL: none */
  uint64_t window_base;        /* 0 for a pool that moves */
  pthread_mutex_t lock;
};

#endif
