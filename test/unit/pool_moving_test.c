/* A pool that moves: handles, growth elsewhere with all contents, pinned memory, stale handles, a random trace against
 * a model. The "device code" here translates by the table that the pool has uploaded, as a kernel does. */
#include "greatest.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fake_device.h"
#include "handles/codec.h"

#define MIB (1ull << 20)
#define BITS 12u

static const struct gasan_pool_caller allocator = {"cudaMalloc", 11, 1}, freer = {"cudaFree", 22, 2};
static struct gasan_device *device;
static struct gasan_pool *pool;
static bool still;
static int holds;

static bool try_still(struct gasan_device *which) {
  GASAN_CHECK(which == device && holds == 0);
  holds += still;
  return still;
}

static void end_still(struct gasan_device *which) {
  GASAN_CHECK(which == device && holds == 1);
  holds = 0;
}

static struct gasan_pool_options options_of(uint32_t bits) {
  return (struct gasan_pool_options){.handle_bits = bits,
                                     .shares = 1,
                                     .redzone_min = 256,
                                     .alignment = 512,
                                     .shadow_scale = GASAN_SCALE_128,
                                     .try_still = try_still,
                                     .end_still = end_still};
}

static void open_pool(uint32_t bits, uint64_t memory) {
  struct gasan_pool_options options = options_of(bits);
  device = fake_device_new(65536, memory);
  still = true;
  if (!gasan_ok(gasan_pool_create(device, &options, &pool)))
    abort();
}

static void close_pool(void) {
  gasan_pool_destroy(pool);
  fake_device_delete(device);
}

static uint64_t allocate(uint64_t size) {
  uint64_t handle = 0;
  return gasan_ok(gasan_pool_allocate(pool, size, allocator, &handle)) ? handle : 0;
}

static struct gasan_pool_counters counters(void) {
  struct gasan_pool_counters result;
  gasan_pool_counters(pool, &result);
  return result;
}

/* Translates like device code. Returns NULL if no live object has these bytes. */
static unsigned char *bytes_of(uint32_t bits, uint64_t handle, uint64_t size) {
  const struct gasan_handle_entry *table = (const void *)gasan_pool_handle_table(pool);
  const struct gasan_handle_entry *entry = &table[gasan_handle_id(bits, handle)];
  uint64_t offset = gasan_handle_offset(bits, handle);
  return offset <= entry->size && size <= entry->size - offset ? (unsigned char *)entry->address + offset : NULL;
}

TEST options_are_checked(void) {
  struct gasan_pool_options options = options_of(17);
  device = fake_device_new(65536, MIB);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(device, &options, &pool).code);
  options = options_of(4);
  fake_device_fail(device, FAKE_PLAIN_ALLOC, 1, 1);
  ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_pool_create(device, &options, &pool).code);
  fake_device_delete(device);
  PASS();
}

TEST translation(void) {
  open_pool(BITS, 64 * MIB);
  uint64_t a = allocate(1000), b = allocate(1), address, fault;
  ASSERT(a && b && gasan_handle_offset(BITS, a) == 0 && gasan_handle_id(BITS, a) != gasan_handle_id(BITS, b));
  ASSERT(gasan_pool_owns(pool, a) && gasan_pool_owns(pool, a + 999) && !gasan_pool_owns(pool, 0x7f0000000000));
  ASSERT(gasan_ok(gasan_pool_translate(pool, a + 1000, false, &address))); /* one past the end */
  ASSERT_EQ(a + 1000, gasan_pool_pointer_to(pool, address));
  ASSERT(bytes_of(BITS, a, 1000) && !bytes_of(BITS, a, 1001) && bytes_of(BITS, a + 999, 1));
  ASSERT(gasan_pool_covers(pool, a + 1, 999, &fault));
  ASSERT(!gasan_pool_covers(pool, a + 1, 1000, &fault));
  ASSERT_EQ(a + 1000, fault);
  struct gasan_chunk chunk;
  ASSERT(gasan_pool_find(pool, b - 1, &chunk)); /* borrows from the id: still next to b */
  ASSERT_EQ(b, chunk.base);
  ASSERT(gasan_pool_find(pool, a + 5000, &chunk));
  ASSERT_EQ(a, chunk.base);
  ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, gasan_pool_free(pool, a + 8, freer, &chunk));
  ASSERT_EQ(a, chunk.base);
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, a, freer, &chunk));
  ASSERT(!bytes_of(BITS, a, 1));
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_pool_translate(pool, a, false, &address).code);
  ASSERT(gasan_pool_find(pool, a + 5, &chunk));
  ASSERT(chunk.state == GASAN_CHUNK_FREED && chunk.allocation_stack == 11 && chunk.free_stack == 22);
  ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, gasan_pool_free(pool, a, freer, &chunk));
  ASSERT_EQ(GASAN_POOL_NOT_IN_WINDOW, gasan_pool_free(pool, 4096, freer, &chunk));
  ASSERT_EQ(0, allocate(0));
  close_pool();
  PASS();
}

TEST moves_with_contents(void) {
  open_pool(BITS, 512 * MIB);
  uint64_t handles[40];
  for (int i = 0; i < 40; i++) {
    handles[i] = allocate(MIB);
    ASSERT(handles[i]);
    memset(bytes_of(BITS, handles[i], MIB), i, MIB);
  }
  ASSERT(counters().moves >= 3);
  ASSERT_EQ(1, counters().segments);
  for (int i = 0; i < 40; i++) {
    const unsigned char *bytes = bytes_of(BITS, handles[i], MIB);
    ASSERT(bytes && bytes[0] == i && bytes[MIB / 2] == i && bytes[MIB - 1] == i);
  }
  close_pool();
  PASS();
}

TEST what_may_not_move_stays(void) {
  open_pool(BITS, 512 * MIB);
  uint64_t a = allocate(MIB), address, later;
  still = false; /* a kernel runs */
  uint64_t b = allocate(100 * MIB);
  ASSERT(b && counters().moves == 0 && counters().segments == 2);
  still = true;
  ASSERT(gasan_ok(gasan_pool_translate(pool, b, true, &address)));
  uint64_t c = allocate(120 * MIB);
  ASSERT(c && counters().moves == 0 && counters().segments == 3);
  ASSERT(gasan_ok(gasan_pool_translate(pool, b, false, &later)));
  ASSERT_EQ(address, later);
  ASSERT(bytes_of(BITS, a, MIB) && bytes_of(BITS, b, 100 * MIB) && bytes_of(BITS, c, 120 * MIB));
  close_pool();
  PASS();
}

TEST failures(void) {
  open_pool(BITS, 64 * MIB);
  uint64_t a = allocate(3 * MIB);
  memset(bytes_of(BITS, a, 3 * MIB), 7, 3 * MIB);
  fake_device_fail(device, FAKE_PLAIN_COPY, 1, 1); /* then the pool opens a second segment */
  uint64_t b = allocate(3 * MIB);
  ASSERT(b && counters().moves == 0 && counters().segments == 2);
  fake_device_fail(device, FAKE_WRITE, 1, 2);
  ASSERT_EQ(0, allocate(20 * MIB));
  ASSERT_EQ(7, bytes_of(BITS, a, 3 * MIB)[3 * MIB - 1]);
  uint64_t c = allocate(16 * MIB);
  ASSERT(c && bytes_of(BITS, c, 16 * MIB));
  ASSERT_EQ(0, allocate(100 * MIB));
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, a, freer, NULL));
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, b, freer, NULL));
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, c, freer, NULL));
  close_pool();
  PASS();
}

TEST ids_are_reused_last(void) {
  open_pool(4, 64 * MIB);
  uint64_t first = allocate(10), all[15];
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, first, freer, NULL));
  for (int i = 0; i < 14; i++) {
    all[i] = allocate(10);
    ASSERT(all[i] && all[i] != first);
  }
  ASSERT_EQ(0, counters().reused);
  all[14] = allocate(10);
  ASSERT_EQ(first, all[14]);
  ASSERT_EQ(1, counters().reused);
  ASSERT_EQ(0, allocate(10));
  close_pool();
  PASS();
}

TEST shares_do_not_meet(void) {
  struct gasan_pool *pools[3];
  uint64_t seen[3][5];
  device = fake_device_new(65536, 64 * MIB);
  still = true;
  for (uint32_t share = 0; share < 3; share++) {
    struct gasan_pool_options options = options_of(4);
    options.share = share;
    options.shares = 3;
    ASSERT(gasan_ok(gasan_pool_create(device, &options, &pools[share])));
    pool = pools[share];
    for (int i = 0; i < 5; i++)
      ASSERT((seen[share][i] = allocate(100)) != 0);
    ASSERT_EQ(0, allocate(100));
  }
  for (int share = 0; share < 3; share++)
    for (int i = 0; i < 5; i++)
      for (int owner = 0; owner < 3; owner++)
        ASSERT_EQ(owner == share, gasan_pool_owns(pools[owner], seen[share][i]));
  for (int share = 0; share < 3; share++)
    gasan_pool_destroy(pools[share]);
  fake_device_delete(device);
  PASS();
}

#define LIVE 200
static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/* The model: each live handle has a size and one byte value; the model keeps freed ones until there are many. */
TEST random_trace(void) {
  struct {
    uint64_t handle, size;
    unsigned char value;
  } live[LIVE] = {0};
  uint64_t stale[64] = {0}, random = 42, operations = 0;
  open_pool(BITS, 1024 * MIB);
  for (; operations < 30000; operations++) {
    uint32_t slot = next_random(&random) % LIVE;
    still = operations < 3000 || next_random(&random) % 4 != 0;
    if (!live[slot].handle) {
      uint64_t size =
          next_random(&random) % 16 ? 1 + next_random(&random) % 2000 : 1 + next_random(&random) % (2 * MIB);
      live[slot].handle = allocate(size);
      ASSERT(live[slot].handle);
      live[slot].size = size;
      live[slot].value = (unsigned char)operations;
      memset(bytes_of(BITS, live[slot].handle, size), live[slot].value, size);
    } else {
      const unsigned char *bytes = bytes_of(BITS, live[slot].handle, live[slot].size);
      ASSERT(bytes && !bytes_of(BITS, live[slot].handle, live[slot].size + 1));
      for (uint64_t i = 0; i < live[slot].size; i += 97)
        ASSERT_EQ(live[slot].value, bytes[i]);
      uint64_t address;
      ASSERT(gasan_ok(gasan_pool_translate(pool, live[slot].handle + live[slot].size / 2,
                                           operations > 5000 && next_random(&random) % 1024 == 0, &address)));
      ASSERT_EQ((uint64_t)bytes + live[slot].size / 2, address);
      ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, live[slot].handle, freer, NULL));
      stale[operations % 64] = live[slot].handle;
      live[slot].handle = 0;
    }
    uint64_t old = stale[next_random(&random) % 64]; /* freed at most 64 operations ago: far from reuse */
    struct gasan_chunk chunk;
    if (old && operations < 2000) {
      ASSERT(!bytes_of(BITS, old, 1) && gasan_pool_find(pool, old, &chunk));
      ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
    }
  }
  ASSERT(counters().moves > 0);
  for (int i = 0; i < LIVE; i++)
    if (live[i].handle)
      ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, live[i].handle, freer, NULL));
  ASSERT_EQ(0, counters().live_chunks);
  ASSERT_EQ(0, counters().live_bytes);
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(options_are_checked);
  RUN_TEST(translation);
  RUN_TEST(moves_with_contents);
  RUN_TEST(what_may_not_move_stays);
  RUN_TEST(failures);
  RUN_TEST(ids_are_reused_last);
  RUN_TEST(shares_do_not_meet);
  RUN_TEST(random_trace);
  GREATEST_MAIN_END();
}
