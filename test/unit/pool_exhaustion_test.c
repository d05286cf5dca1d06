/* A pool without memory or addresses: the quarantine, and the dead addresses of freed large chunks. */
#include "greatest.h"

#include "pool_fixture.h"

/* Before the pool returns "out of memory", it releases the quarantine and the idle pages, but not dead addresses, which
 * have no memory. */
TEST out_of_memory_empties_the_quarantine(void) {
  enum { CHUNKS = 1200 };
  static uint64_t waits[CHUNKS];
  struct gasan_pool_options options = small_options();
  options.quarantine_size = GIB;
  open_pool(64 * MIB, &options);
  uint64_t kept = allocate(20 * MIB), dead = allocate(MIB), last = 0, address = 5;
  ASSERT(kept && dead);
  for (int i = 0; i < CHUNKS; i++)
    ASSERT((last = waits[i] = allocate(20000)));
  ASSERT(counters().mapped_bytes > 40 * MIB);
  ASSERT_EQ(GASAN_POOL_FREED, release(dead));
  ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_pool_allocate(pool, 30 * MIB, allocator, &address).code);
  ASSERT_EQ(5, address);
  ASSERT_EQ(0, shadow_at(last + 30 * MIB)); /* the rest is still poison */
  for (int i = 0; i < CHUNKS; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(waits[i]));
  ASSERT_EQ(CHUNKS, counters().quarantined_chunks);
  ASSERT(counters().mapped_bytes > 40 * MIB);
  ASSERT(allocate(30 * MIB));
  ASSERT_EQ(0, counters().quarantined_chunks);
  ASSERT_EQ(1, counters().dead_chunks);
  ASSERT(gasan_pool_covers(pool, kept, 20 * MIB, &address));
  close_pool();
  PASS();
}

/* Three chunks fill the window, small or not. */
static void open_pool_for_three(void) {
  struct gasan_pool_options options = small_options();
  options.redzone_min = 900 * MIB;
  open_pool(GIB, &options);
}

/* Dead addresses are reused first: this costs no detection in chunks that still have memory. */
TEST out_of_addresses_empties_the_quarantine(void) {
  open_pool_for_three();
  uint64_t waits = allocate(1000), dead = allocate(100 * MIB), kept = allocate(1000), address;
  ASSERT(waits && dead && kept);
  ASSERT_EQ(GASAN_ERR_OUT_OF_ADDRESSES, gasan_pool_allocate(pool, 1000, allocator, &address).code);
  ASSERT_EQ(GASAN_POOL_FREED, release(waits));
  ASSERT_EQ(GASAN_POOL_FREED, release(dead));
  ASSERT_EQ(dead, allocate(100 * MIB));
  ASSERT_EQ(0, counters().dead_chunks);
  ASSERT_EQ(1, counters().quarantined_chunks);
  ASSERT_EQ(waits, allocate(1000));
  ASSERT_EQ(0, counters().quarantined_chunks);
  close_pool();
  PASS();
}

/* One by one, the oldest first, and no more than are needed. */
TEST out_of_addresses_takes_dead_ones(void) {
  open_pool_for_three();
  struct gasan_chunk chunk;
  uint64_t chunks[3];
  for (int i = 0; i < 3; i++)
    ASSERT((chunks[i] = allocate(100 * MIB)));
  ASSERT_EQ(GASAN_POOL_FREED, release(chunks[1]));
  ASSERT_EQ(GASAN_POOL_FREED, release(chunks[0]));
  ASSERT_EQ(GASAN_POOL_FREED, release(chunks[2]));
  ASSERT_EQ(3, counters().dead_chunks);
  ASSERT_EQ(chunks[1], allocate(100 * MIB));
  ASSERT_EQ(2, counters().dead_chunks);
  ASSERT_EQ(chunks[0], allocate(100 * MIB));
  ASSERT_EQ(1, counters().dead_chunks);
  ASSERT_EQ(2, counters().reused);
  ASSERT(gasan_pool_find(pool, chunks[2], &chunk));
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  close_pool();
  PASS();
}

/* A use after free of a large chunk is found after the next allocation, too, for any size of the quarantine. */
TEST freed_large_chunk_stays_dead(void) {
  struct gasan_chunk chunk;
  open_small_pool();
  uint64_t old = allocate(300 * MIB);
  ASSERT_EQ(GASAN_POOL_FREED, release(old));
  ASSERT_EQ(0, counters().mapped_bytes);
  ASSERT_FALSE(fake_device_readable(device, old, 1));
  uint64_t new = allocate(300 * MIB);
  ASSERT(new >= old + 450 * MIB);
  ASSERT_EQ(300 * MIB, counters().mapped_bytes);
  ASSERT_EQ(0, shadow_at(old));
  ASSERT_EQ(128, shadow_at(new));
  ASSERT(gasan_pool_find(pool, old + 300 * MIB - 1, &chunk));
  ASSERT_EQ(old, chunk.base);
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT_EQ(11, chunk.allocation_stack);
  ASSERT_EQ(22, chunk.free_stack);
  ASSERT(chunk.redzone_left >= 150 * MIB && chunk.redzone_right >= 150 * MIB);
  ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, gasan_pool_free(pool, old, freer, &chunk));
  ASSERT_EQ(old, chunk.base);
  uint64_t fault;
  ASSERT_FALSE(gasan_pool_covers(pool, old, 1, &fault));
  ASSERT(gasan_pool_find(pool, new, &chunk));
  ASSERT_EQ(GASAN_CHUNK_LIVE, chunk.state);
  struct visits visits = {.in_order = true};
  gasan_pool_each_live(pool, visit, &visits);
  ASSERT_EQ(1, visits.count);
  close_pool();
  PASS();
}

/* No address is reused before the whole window was used; then the oldest are reused, and counted. The shadow's memory
 * does not grow with them. */
TEST dead_until_the_window_is_used_up(void) {
  enum { ROUNDS = 200 };
  static uint64_t chunks[ROUNDS];
  open_small_pool();
  uint64_t shadow_memory = 0, first_again = 0;
  for (int i = 0; i < ROUNDS; i++) {
    ASSERT((chunks[i] = allocate(20 * MIB)));
    if (!first_again && i > 0 && chunks[i] < chunks[i - 1])
      first_again = (uint64_t)i;
    ASSERT_EQ(20 * MIB, counters().mapped_bytes);
    if (i == 5)
      shadow_memory = gasan_shadow_memory(gasan_pool_shadow(pool));
    ASSERT(i < 5 || gasan_shadow_memory(gasan_pool_shadow(pool)) <= 2 * shadow_memory);
    struct gasan_chunk chunk;
    for (int old = i - 1; old >= 0 && !first_again; old--) {
      ASSERT(gasan_pool_find(pool, chunks[old] + 5 * MIB, &chunk));
      ASSERT_EQ(chunks[old], chunk.base);
      ASSERT_EQ(11, chunk.allocation_stack);
      ASSERT_EQ(22, chunk.free_stack);
    }
    ASSERT_EQ(first_again ? (uint64_t)i - first_again + 1 : 0, counters().reused);
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i]));
    ASSERT(gasan_ok(gasan_pool_flush(pool)));
    ASSERT_EQ(0, shadow_at(chunks[i]));
  }
  ASSERT(first_again > 4 * GIB / (31 * MIB));
  ASSERT_EQ(chunks[0], chunks[first_again]);
  ASSERT_EQ(chunks[1], chunks[first_again + 1]);
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(out_of_memory_empties_the_quarantine);
  RUN_TEST(out_of_addresses_empties_the_quarantine);
  RUN_TEST(out_of_addresses_takes_dead_ones);
  RUN_TEST(freed_large_chunk_stays_dead);
  RUN_TEST(dead_until_the_window_is_used_up);
  GREATEST_MAIN_END();
}
