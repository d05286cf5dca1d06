/* The registry of foreign ranges with many threads, like calls of different devices: each thread has its own ranges,
 * and the registry is right about them, whatever the other threads do. Built with ThreadSanitizer. */
#include "gasan_rt/memory/foreign.h"
#include "greatest.h"

#include <pthread.h>

#define WORKERS 4
#define RANGES 16
#define ROUNDS 20000
#define LIMIT 20000 /* bytes in the quarantine */

struct work {
  uint64_t first, random;
  bool failed;
};

static void *pointer(uint64_t address) {
  return (void *)(uintptr_t)address;
}

static bool step(struct work *work, bool live[RANGES]) {
  struct gasan_pool_caller caller = {"test", 1, 2};
  struct gasan_foreign range;
  work->random = work->random * 6364136223846793005ull + 1442695040888963407ull;
  uint64_t i = (work->random >> 40) % RANGES, base = work->first + i * 4096, size = 1 + (work->random >> 33) % 4096;
  if (!live[i]) {
    gasan_foreign_add(GASAN_FOREIGN_MANAGED, pointer(base), size, caller);
  } else if (gasan_foreign_end(pointer(base), GASAN_FOREIGN_MANAGED, caller, i % 2, &range) != GASAN_FOREIGN_ENDED ||
             range.chunk.base != base) {
    return false;
  }
  live[i] = !live[i];
  gasan_foreign_excess(LIMIT, &range);
  return !live[i] || (gasan_foreign_find(pointer(base + size - 1), &range) && range.chunk.base == base &&
                      range.chunk.size == size && range.chunk.state == GASAN_CHUNK_LIVE && gasan_foreign_epoch());
}

static void *churn(void *context) {
  struct work *work = context;
  bool live[RANGES] = {false};
  for (int round = 0; round < ROUNDS && !work->failed; round++)
    work->failed = !step(work, live);
  gasan_foreign_end_inside(pointer(work->first), RANGES * 4096, GASAN_FOREIGN_MANAGED,
                           (struct gasan_pool_caller){"test", 1, 2});
  return NULL;
}

static void count(const struct gasan_foreign *range, void *context) {
  ++*(int *)context;
}

TEST many_threads(void) {
  struct work work[WORKERS];
  pthread_t threads[WORKERS];
  for (uint64_t i = 0; i < WORKERS; i++) {
    work[i] = (struct work){(i + 1) << 30, i, false};
    pthread_create(&threads[i], NULL, churn, &work[i]);
  }
  int live = 0;
  for (int round = 0; round < 100; round++)
    gasan_foreign_each_live(count, &live);
  for (int i = 0; i < WORKERS; i++) {
    pthread_join(threads[i], NULL);
    ASSERT_FALSE(work[i].failed);
  }
  live = 0;
  gasan_foreign_each_live(count, &live);
  ASSERT_EQ(0, live);
  gasan_foreign_forget(GASAN_FOREIGN_MANAGED);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(many_threads);
  GREATEST_MAIN_END();
}
