/* Tagged pointers (shadow/tags.h), and a pool whose callers use them. */
#include "greatest.h"
#include "pool/pool.h"
#include "shadow/tags.h"

#include "pool_fixture.h"

#define ALL ((int)GASAN_TAG_DIRECT_COUNT)

static void open_tagged_pool(uint64_t quarantine) {
  struct gasan_pool_options options = small_options();
  options.shadow_scale = 0;
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.tags = true;
  options.quarantine_size = quarantine;
  open_pool(8 * GIB, &options);
}

TEST codec(void) {
  const uint64_t address = 0x7f1234567890;
  for (uint32_t tag = 0; tag <= GASAN_TAG_GREATEST; tag++) {
    uint64_t pointer = gasan_tag_put(address, tag);
    ASSERT_EQ(tag, gasan_tag_of(pointer));
    ASSERT_EQ(address, gasan_tag_strip(pointer));
    ASSERT_EQ(tag, gasan_tag_of(pointer + 1000));
    uint32_t entry = gasan_tag_entry(tag);
    ASSERT_EQ(tag < 16, entry == GASAN_BST_UNKNOWN);
    if (entry)
      ASSERT_EQ(tag, gasan_tag_of_entry(entry));
  }
  ASSERT_EQ(GASAN_BST_FIRST, gasan_tag_entry(16));
  ASSERT_EQ(240, ALL);
  ASSERT_EQ(0, gasan_tag_of_entry(GASAN_BST_UNKNOWN));
  ASSERT_EQ(0, gasan_tag_of_entry(GASAN_BST_NOTHING));
  ASSERT_EQ(255, gasan_tag_of_entry(GASAN_BST_FIRST + 239));
  ASSERT_EQ(0, gasan_tag_of_entry(GASAN_BST_FIRST + 240));
  ASSERT_EQ(0, gasan_tag_of_entry(UINT32_MAX));
  PASS();
}

/* cucatch 3.2.1: the first 240 allocations name their entry, freed or not; the others have a random tag. */
TEST first_allocations_are_direct(void) {
  open_tagged_pool(0);
  for (int i = 0; i < ALL; i++) {
    uint64_t pointer = allocate(100);
    ASSERT_EQ_FMT((uint32_t)i + GASAN_TAG_DIRECT, gasan_tag_of(pointer), "%u");
    if (i % 3)
      ASSERT_EQ(GASAN_POOL_FREED, release(pointer));
  }
  bool seen[GASAN_TAG_RANDOM + 1] = {0};
  for (int i = 0; i < 1000; i++) {
    uint32_t tag = gasan_tag_of(allocate(100));
    ASSERT(tag >= 1 && tag <= GASAN_TAG_RANDOM);
    seen[tag] = true;
  }
  for (uint32_t tag = 1; tag <= GASAN_TAG_RANDOM; tag++)
    ASSERT(seen[tag]);
  close_pool();
  PASS();
}

/* Two chunks one after the other at the same address. */
static void take_twice(uint64_t *stale, uint64_t *fresh) {
  *stale = allocate(1000);
  release(*stale);
  *fresh = allocate(1000);
}

TEST stale_pointers_are_told(const void *context) {
  const int *before = context;
  open_tagged_pool(0);
  for (int i = 0; i < *before; i++)
    allocate(1 + (uint64_t)i);
  for (int round = 0; round < 100; round++) {
    uint64_t stale, fresh, fault = 0, address = 0;
    struct gasan_chunk chunk;
    take_twice(&stale, &fresh);
    ASSERT_EQ(gasan_tag_strip(stale), gasan_tag_strip(fresh));
    ASSERT(stale != fresh);
    ASSERT(gasan_pool_owns(pool, stale) && gasan_pool_owns(pool, gasan_tag_strip(fresh)));

    ASSERT_FALSE(gasan_pool_covers(pool, stale + 10, 1, &fault));
    ASSERT_EQ(stale + 10, fault);
    ASSERT(gasan_pool_find(pool, stale + 10, &chunk));
    ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
    ASSERT_EQ(stale, chunk.base);
    ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, gasan_pool_free(pool, stale, freer, &chunk));
    ASSERT_EQ(stale, chunk.base);
    ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, release(stale + 8));

    ASSERT(gasan_pool_covers(pool, fresh, 1000, &fault));
    ASSERT_FALSE(gasan_pool_covers(pool, fresh, 1001, &fault));
    ASSERT_EQ(fresh + 1000, fault);
    ASSERT(gasan_pool_find(pool, fresh + 10, &chunk));
    ASSERT_EQ(GASAN_CHUNK_LIVE, chunk.state);
    ASSERT_EQ(fresh, chunk.base);
    /* A pointer without its tag belongs to the live chunk. */
    ASSERT(gasan_pool_covers(pool, gasan_tag_strip(fresh), 1000, &fault));

    ASSERT(gasan_ok(gasan_pool_translate(pool, fresh + 1000, false, &address)));
    ASSERT_EQ(gasan_tag_strip(fresh) + 1000, address);
    ASSERT_EQ(fresh + 1000, gasan_pool_pointer_to(pool, address));
    ASSERT_EQ(GASAN_POOL_FREED, release(round % 2 ? fresh : gasan_tag_strip(fresh)));
    ASSERT_EQ(0, gasan_pool_pointer_to(pool, address));
  }
  close_pool();
  PASS();
}

/* Neighbours never share a random tag: a pointer that has run into the next chunk has another one. */
TEST neighbours_differ(void) {
  open_tagged_pool(0);
  for (int i = 0; i < ALL; i++)
    allocate(100);
  uint64_t last = 0;
  for (int i = 0; i < 1000; i++) {
    uint64_t pointer = allocate(100);
    ASSERT(gasan_tag_strip(pointer) > gasan_tag_strip(last));
    ASSERT(gasan_tag_of(pointer) != gasan_tag_of(last));
    last = pointer;
  }
  close_pool();
  PASS();
}

/* An overflow into another chunk is reported for the chunk to which the pointer belongs. */
TEST overflows_keep_their_owner(void) {
  open_tagged_pool(MIB);
  struct gasan_chunk chunk;
  uint64_t first = allocate(1000), second = allocate(1000);
  uint64_t distance = gasan_tag_strip(second) - gasan_tag_strip(first);
  ASSERT(gasan_pool_find(pool, first + distance + 8, &chunk));
  ASSERT_EQ(first, chunk.base);
  ASSERT(gasan_pool_find(pool, second - distance, &chunk));
  ASSERT_EQ(second, chunk.base);
  struct visits visits = {.in_order = true};
  gasan_pool_each_live(pool, visit, &visits);
  ASSERT_EQ(2, visits.count);
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  static const int none = 0, direct = ALL;
  GREATEST_MAIN_BEGIN();
  RUN_TEST(codec);
  RUN_TEST(first_allocations_are_direct);
  RUN_TESTp(stale_pointers_are_told, &none);
  RUN_TESTp(stale_pointers_are_told, &direct);
  RUN_TEST(neighbours_differ);
  RUN_TEST(overflows_keep_their_owner);
  GREATEST_MAIN_END();
}
