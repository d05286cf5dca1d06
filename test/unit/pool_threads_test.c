/* Two pools, each with its device, encoding and page size, used by eight threads at once: each thread has its own
 * chunks, and the pool is right about them, whatever the other threads do. Built with ThreadSanitizer. */
#include "greatest.h"
#include "pool/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fake_device.h"

#define POOLS 2
#define WORKERS 3 /* of each pool */
#define CHUNKS 32
#define ROUNDS 4000

static const struct gasan_pool_caller allocator = {"cudaMalloc", 11, 1}, freer = {"cudaFree", 22, 2};

struct side {
  struct gasan_device *device;
  struct gasan_pool *pool;
  uint32_t scale;
  _Atomic bool ended;
};

struct work {
  struct side *side;
  uint64_t random;
  bool failed;
};

static uint64_t next_random(struct work *work) {
  work->random = work->random * 6364136223846793005ull + 1442695040888963407ull;
  return work->random >> 32;
}

static bool last_byte_is(const struct side *side, uint64_t last, bool accessible) {
  uint8_t value = gasan_shadow_get(gasan_pool_shadow(side->pool), last);
  return !!gasan_shadow_allows(side->scale, value, last, 1) == accessible;
}

static bool allocate(struct work *work, uint64_t *base, uint64_t *size) {
  struct side *side = work->side;
  uint64_t fault;
  *size = 1 + next_random(work) % (next_random(work) % 50 ? 5000 : 400000);
  if (!gasan_ok(gasan_pool_allocate(side->pool, *size, allocator, base)) || !gasan_ok(gasan_pool_flush(side->pool)))
    return false;
  *(volatile char *)*base = 1; /* ThreadSanitizer sees it if two chunks overlap */
  *(volatile char *)(*base + *size - 1) = 2;
  return gasan_pool_covers(side->pool, *base, *size, &fault) && last_byte_is(side, *base + *size - 1, true);
}

static bool release(struct work *work, uint64_t base, uint64_t size) {
  struct side *side = work->side;
  struct gasan_chunk chunk;
  if (!gasan_pool_find(side->pool, base + size / 2, &chunk) || chunk.base != base || chunk.size != size ||
      chunk.state != GASAN_CHUNK_LIVE)
    return false;
  return gasan_pool_free(side->pool, base, freer, &chunk) == GASAN_POOL_FREED && chunk.base == base;
}

static void *churn(void *context) {
  struct work *work = context;
  uint64_t bases[CHUNKS] = {0}, sizes[CHUNKS];
  for (int round = 0; round < ROUNDS && !work->failed; round++) {
    uint64_t i = next_random(work) % CHUNKS;
    if (bases[i]) {
      work->failed = !release(work, bases[i], sizes[i]);
      bases[i] = 0;
    } else {
      work->failed = !allocate(work, &bases[i], &sizes[i]);
    }
  }
  for (int i = 0; i < CHUNKS && !work->failed; i++)
    if (bases[i])
      work->failed = !release(work, bases[i], sizes[i]);
  return NULL;
}

struct sum {
  uint64_t chunks, last;
  bool in_order;
};

static bool add(const struct gasan_chunk *chunk, void *context) {
  struct sum *sum = context;
  sum->in_order &= chunk->base > sum->last && chunk->state == GASAN_CHUNK_LIVE;
  sum->last = chunk->base;
  return ++sum->chunks < 100;
}

/* The calls that reports, launches and statistics make meanwhile. */
static void *look(void *context) {
  struct work *work = context;
  struct side *side = work->side;
  while (!atomic_load(&side->ended)) {
    struct sum sum = {.in_order = true};
    struct gasan_pool_counters counters;
    gasan_pool_each_live(side->pool, add, &sum);
    gasan_pool_counters(side->pool, &counters);
    work->failed |= !sum.in_order || counters.live_chunks > WORKERS * CHUNKS ||
                    counters.allocations - counters.frees != counters.live_chunks ||
                    !gasan_ok(gasan_pool_flush(side->pool));
    uint64_t wild = gasan_pool_window_base(side->pool) + next_random(work) % (64 << 20);
    struct gasan_chunk chunk;
    if (gasan_pool_free(side->pool, wild | 1, freer, &chunk) != GASAN_POOL_NOT_A_CHUNK)
      work->failed = true;
    sched_yield();
  }
  return NULL;
}

static void open_side(struct side *side, uint64_t page_size, uint32_t scale) {
  struct gasan_pool_options options = {.window_size = 4ull << 30,
                                       .shadow_scale = scale,
                                       .lookup = GASAN_POOL_LOOKUP_PAGEMAP,
                                       .redzone_percent = 10,
                                       .redzone_min = 256,
                                       .quarantine_size = 200000};
  side->device = fake_device_new(page_size, 1ull << 30);
  side->scale = scale;
  if (!gasan_ok(gasan_pool_create(side->device, &options, &side->pool)))
    abort();
}

TEST many_threads_and_two_devices(void) {
  struct side sides[POOLS] = {0};
  struct work work[POOLS][WORKERS + 1];
  pthread_t threads[POOLS][WORKERS + 1];
  open_side(&sides[0], 65536, GASAN_SCALE_128);
  open_side(&sides[1], 4096, GASAN_SCALE_256);
  for (int side = 0; side < POOLS; side++)
    for (int i = 0; i <= WORKERS; i++) {
      work[side][i] = (struct work){&sides[side], (uint64_t)(side * 10 + i), false};
      ASSERT_EQ(0, pthread_create(&threads[side][i], NULL, i < WORKERS ? churn : look, &work[side][i]));
    }
  for (int side = 0; side < POOLS; side++) {
    for (int i = 0; i <= WORKERS; i++) {
      if (i == WORKERS)
        atomic_store(&sides[side].ended, true);
      pthread_join(threads[side][i], NULL);
      ASSERT_FALSE(work[side][i].failed);
    }
    struct gasan_pool_counters counters;
    gasan_pool_counters(sides[side].pool, &counters);
    ASSERT_EQ(0, counters.live_chunks);
    ASSERT_EQ(counters.allocations, counters.frees);
    gasan_pool_destroy(sides[side].pool);
    fake_device_delete(sides[side].device); /* checks that all memory was released */
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(many_threads_and_two_devices);
  GREATEST_MAIN_END();
}
