/* A pool with guards: chunks at an edge of their pages, with nothing mapped beyond it. */
#include "greatest.h"
#include "pool_fixture.h"

enum { CHUNKS = 60 };

static void open_guarded(enum gasan_pool_guard guard, uint64_t budget) {
  struct gasan_pool_options options = small_options();
  options.shadow_scale = 0;
  options.guard = guard;
  options.guard_budget = budget;
  open_pool(GIB, &options);
}

static struct gasan_chunk chunk_at(uint64_t base) {
  struct gasan_chunk chunk;
  if (!gasan_pool_find(pool, base, &chunk) || chunk.base != base)
    abort();
  return chunk;
}

static uint64_t aligned(uint64_t size) {
  return (size + 255) / 256 * 256;
}

static bool is_mapped(uint64_t base, uint64_t size) {
  return fake_device_has_memory(device, base, size);
}

/* Returns true if no byte of the page can be read. */
static bool is_dead_page(uint64_t page) {
  return !fake_device_readable(device, page, 1) && !fake_device_readable(device, page + PAGE - 1, 1);
}

TEST large_chunks_end_at_a_page(void) {
  static const uint64_t sizes[] = {PAGE, PAGE - 100, PAGE + 1, 3 * PAGE, 5 * PAGE - 256, PAGE / 2 + 1};
  open_guarded(GASAN_POOL_GUARD_END, 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    uint64_t base = allocate(sizes[i]), end = base + aligned(sizes[i]);
    ASSERT_EQ(0, end % PAGE);
    ASSERT(is_mapped(base, sizes[i]));
    ASSERT(is_dead_page(end));
    struct gasan_chunk chunk = chunk_at(base);
    ASSERT_EQ(aligned(sizes[i]) - sizes[i], chunk.canary_right);
    ASSERT_EQ(base % PAGE < 256 ? base % PAGE : 256, chunk.canary_left);
  }
  ASSERT_EQ(sizeof sizes / sizeof *sizes, counters().guarded_chunks);
  ASSERT_EQ(0, counters().guard_bytes);
  close_pool();
  PASS();
}

TEST large_chunks_start_at_a_page(void) {
  open_guarded(GASAN_POOL_GUARD_START, 0);
  for (uint64_t size = PAGE - 7; size < 4 * PAGE; size += PAGE / 3) {
    uint64_t base = allocate(size);
    ASSERT_EQ(0, base % PAGE);
    ASSERT(is_mapped(base, size) && is_dead_page(base - PAGE));
    ASSERT_EQ(0, chunk_at(base).canary_left);
  }
  close_pool();
  PASS();
}

/* The first small chunks get pages of their own, later ones in turn, and the others share pages. */
TEST a_budget_bounds_the_memory(void) {
  const uint64_t budget = 20 * PAGE;
  uint64_t guarded = 0;
  open_guarded(GASAN_POOL_GUARD_END, budget);
  for (int i = 0; i < 500; i++) {
    uint64_t base = allocate(1000), end = base + 1024;
    guarded += end % PAGE == 0 && is_dead_page(end);
    if (i < 10)
      ASSERT_EQ((uint64_t)i + 1, guarded);
    ASSERT(counters().guard_bytes <= budget);
  }
  ASSERT(guarded >= 20); /* one that shares its page may end there, too */
  ASSERT_EQ(20, counters().guarded_chunks);
  ASSERT_EQ(480, counters().shared_allocations);
  ASSERT(counters().mapped_bytes <= budget + (480 * 2048 / PAGE + 1) * PAGE);
  close_pool();
  PASS();
}

/* A freed chunk gives the budget back, and its addresses stay dead. */
TEST frees_return_the_budget(void) {
  open_guarded(GASAN_POOL_GUARD_END, 4 * PAGE);
  uint64_t before = 0;
  for (int i = 0; i < 100; i++) {
    uint64_t base = allocate(512);
    ASSERT_EQ(0, (base + 512) % PAGE);
    ASSERT(base > before);
    ASSERT_EQ(PAGE, counters().guard_bytes);
    ASSERT_EQ(GASAN_POOL_FREED, release(base));
    ASSERT(is_dead_page(base / PAGE * PAGE));
    ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, release(base));
    before = base;
  }
  ASSERT_EQ(0, counters().guard_bytes);
  ASSERT_EQ(0, counters().guarded_chunks);
  close_pool();
  PASS();
}

static bool apart(const struct gasan_chunk *a, const struct gasan_chunk *b) {
  return a->base + a->size + a->canary_right <= b->base || b->base + b->size + b->canary_right <= a->base;
}

/* Random chunks: each is mapped with its canaries, no chunk has bytes in another's canaries, and the page beyond a
 * guarded chunk is dead, whatever was there before. */
static enum greatest_test_res random_chunks(enum gasan_pool_guard guard) {
  struct gasan_chunk chunks[CHUNKS] = {0};
  uint64_t state = 1;
  unsigned before = 0, behind = 0;
  open_guarded(guard, 8 * PAGE);
  for (int step = 0; step < 3000; step++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int i = (int)(state >> 33) % CHUNKS;
    if (chunks[i].base) {
      ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i].base));
      chunks[i].base = 0;
      continue;
    }
    uint64_t random = state >> 40, size = 1 + random % (random % 3 ? 2000 : 3 * PAGE);
    chunks[i] = chunk_at(allocate(size));
    for (int j = 0; j < CHUNKS; j++) {
      const struct gasan_chunk *chunk = &chunks[j];
      if (!chunk->base)
        continue;
      ASSERT(is_mapped(chunk->base - chunk->canary_left, chunk->canary_left + chunk->size + chunk->canary_right));
      ASSERT(i == j || apart(chunk, &chunks[i]));
      uint64_t end = chunk->base + aligned(chunk->size);
      if (chunk->size > PAGE / 2) {
        const bool dead_behind = end % PAGE == 0 && is_dead_page(end);
        const bool dead_before = chunk->base % PAGE == 0 && is_dead_page(chunk->base - PAGE);
        ASSERT(dead_behind || guard != GASAN_POOL_GUARD_END);
        ASSERT(dead_before || guard != GASAN_POOL_GUARD_START);
        ASSERT(dead_behind || dead_before);
        behind += dead_behind && !dead_before;
        before += dead_before && !dead_behind;
      }
    }
  }
  ASSERT((behind > 0) == (guard != GASAN_POOL_GUARD_START) && (before > 0) == (guard != GASAN_POOL_GUARD_END));
  close_pool();
  PASS();
}

/* Pages of its own take a chunk long, so a program that allocates fast gets them for its first chunks and for some of
 * the others. */
TEST fast_allocations_share_pages(void) {
  open_guarded(GASAN_POOL_GUARD_END, GIB);
  for (int i = 0; i < 4000; i++)
    release(allocate(100));
  ASSERT_EQ(4000, counters().allocations);
  ASSERT(counters().shared_allocations > 0);
  ASSERT(counters().shared_allocations <= (4000 - 1024) * 15 / 16 + 1);
  close_pool();
  PASS();
}

TEST random_chunks_with_guards_behind(void) {
  return random_chunks(GASAN_POOL_GUARD_END);
}

TEST random_chunks_with_guards_before(void) {
  return random_chunks(GASAN_POOL_GUARD_START);
}

TEST random_chunks_with_guards_at_both_edges(void) {
  return random_chunks(GASAN_POOL_GUARD_BOTH);
}

TEST peers_reach_the_whole_chunk(void) {
  open_guarded(GASAN_POOL_GUARD_END, 0);
  uint64_t base = allocate(PAGE + 300);
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, true)));
  ASSERT(fake_device_peer_reaches(device, base, PAGE + 300, 1));
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(large_chunks_end_at_a_page);
  RUN_TEST(large_chunks_start_at_a_page);
  RUN_TEST(a_budget_bounds_the_memory);
  RUN_TEST(frees_return_the_budget);
  RUN_TEST(fast_allocations_share_pages);
  RUN_TEST(random_chunks_with_guards_behind);
  RUN_TEST(random_chunks_with_guards_before);
  RUN_TEST(random_chunks_with_guards_at_both_edges);
  RUN_TEST(peers_reach_the_whole_chunk);
  GREATEST_MAIN_END();
}
