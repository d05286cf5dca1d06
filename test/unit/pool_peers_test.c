/* A pool whose memory other devices may use. */
#include "greatest.h"
#include "pool_fixture.h"

enum { CHUNKS = 40 };
static uint64_t chunks[CHUNKS];

static uint64_t size_of(int i) {
  return i % 4 == 3 ? 3 * PAGE + 5 : 1000 + 700 * (uint64_t)i;
}

static bool all_reach(int peer, bool wanted) {
  for (int i = 0; i < CHUNKS; i++)
    if (chunks[i] && fake_device_peer_reaches(device, chunks[i], size_of(i), peer) != wanted)
      return false;
  return true;
}

static void make_chunks(int first, int end) {
  for (int i = first; i < end; i++)
    if (!(chunks[i] = allocate(size_of(i))))
      abort();
}

/* Small chunks, which share pages, and large ones; allocated before and after the permission; with freed ones between
 * them, with and without memory. */
TEST a_peer_reaches_all_chunks(void) {
  open_small_pool();
  make_chunks(0, CHUNKS / 2);
  for (int i = 0; i < CHUNKS / 2; i += 3) {
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i]));
    chunks[i] = 0;
  }
  ASSERT(all_reach(1, false));
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, true)));
  ASSERT(all_reach(1, true) && all_reach(2, false));
  make_chunks(CHUNKS / 2, CHUNKS);
  ASSERT(all_reach(1, true) && all_reach(2, false));
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 2, true)));
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, false)));
  ASSERT(all_reach(1, false) && all_reach(2, true));
  close_pool();
  PASS();
}

/* Idle pages that are used again are accessible, too. */
TEST pages_that_were_idle_are_reached(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 0;
  open_pool(GIB, &options);
  ASSERT_EQ(GASAN_POOL_FREED, release(allocate(1000)));
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, true)));
  uint64_t chunk = allocate(1000);
  ASSERT(fake_device_peer_reaches(device, chunk, 1000, 1));
  ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, false)));
  ASSERT(!fake_device_peer_reaches(device, chunk, 1000, 1));
  close_pool();
  PASS();
}

TEST a_failure_leaves_no_peer(void) {
  for (uint64_t call = 1; call <= 10; call++) {
    open_small_pool();
    make_chunks(0, CHUNKS);
    fake_device_fail(device, FAKE_REACH_PEER, call, 1);
    ASSERT_EQ(GASAN_ERR_DEVICE, gasan_pool_allow_peer(pool, 1, true).code);
    ASSERT(all_reach(1, false));
    uint64_t later = allocate(2 * PAGE);
    ASSERT(!fake_device_peer_reaches(device, later, 2 * PAGE, 1));
    ASSERT(gasan_ok(gasan_pool_allow_peer(pool, 1, true)));
    ASSERT(all_reach(1, true));
    close_pool();
  }
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(a_peer_reaches_all_chunks);
  RUN_TEST(pages_that_were_idle_are_reached);
  RUN_TEST(a_failure_leaves_no_peer);
  GREATEST_MAIN_END();
}
