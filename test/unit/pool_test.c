#include "greatest.h"
#include "pool/pool.h"

#include "pool_fixture.h"

TEST options_are_checked(void) {
  struct gasan_device *unused = fake_device_new(PAGE, GIB);
  struct gasan_pool *none = NULL;
  struct gasan_pool_options options = small_options();
  options.window_size = 2 * GIB;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(unused, &options, &none).code);
  options.window_size = 5 * GIB;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(unused, &options, &none).code);
  options.window_size = 1024 * GIB; /* shadow offsets need more than 32 bits */
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(unused, &options, &none).code);
  options.window_size = 2048 * GIB;
  options.shadow_scale = GASAN_SCALE_256;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(unused, &options, &none).code);
  options = small_options();
  options.shadow_scale = 5;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(unused, &options, &none).code);
  ASSERT_EQ(NULL, none);
  gasan_pool_destroy(NULL);
  fake_device_delete(unused);
  PASS();
}

TEST default_options(void) {
  static const struct {
    uint64_t memory, window;
  } devices[] = {{GIB / 2, 4 * GIB}, {24 * GIB, 128 * GIB}, {141 * GIB, 512 * GIB}, {288 * GIB, 512 * GIB}};
  for (int i = 0; i < 4; i++) {
    struct gasan_pool_options options;
    struct gasan_device *some = fake_device_new(PAGE, devices[i].memory);
    gasan_pool_default_options(some, GASAN_SCALE_128, &options);
    ASSERT_EQ(devices[i].window, options.window_size);
    ASSERT_EQ(GASAN_SCALE_128, options.shadow_scale);
    ASSERT_EQ(50, options.redzone_percent);
    ASSERT_EQ(256, options.redzone_min);
    ASSERT_EQ(512, options.alignment);
    ASSERT_EQ(256 * MIB, options.quarantine_size);
    fake_device_delete(some);
  }
  PASS();
}

TEST greatest_window(void) {
  ASSERT_EQ(512 * GIB, gasan_pool_greatest_window(GASAN_SCALE_128));
  ASSERT_EQ(1024 * GIB, gasan_pool_greatest_window(GASAN_SCALE_256));
  ASSERT(gasan_pool_greatest_window(GASAN_SCALE_8) > 1024 * GIB);
  ASSERT_EQ(0, gasan_pool_greatest_window(5));
  struct gasan_pool_options options = small_options();
  options.window_size = 512 * GIB;
  open_pool(GIB, &options);
  uint64_t address = allocate(1000);
  ASSERT(address);
  ASSERT(gasan_shadow_mask(gasan_pool_shadow(pool)) <= UINT32_MAX);
  close_pool();
  PASS();
}

TEST window(void) {
  open_small_pool();
  uint64_t base = gasan_pool_window_base(pool);
  ASSERT_EQ(0, base % (4 * GIB));
  ASSERT_EQ(4 * GIB, gasan_pool_window_size(pool));
  ASSERT_EQ(device, gasan_pool_device(pool));
  ASSERT(gasan_pool_owns(pool, base));
  ASSERT(gasan_pool_owns(pool, base + 4 * GIB - 1));
  ASSERT_FALSE(gasan_pool_owns(pool, base + 4 * GIB));
  ASSERT_FALSE(gasan_pool_owns(pool, base - 1));
  ASSERT_FALSE(gasan_pool_owns(pool, 0));
  close_pool();
  PASS();
}

TEST absurd_sizes_change_nothing(void) {
  open_small_pool();
  uint64_t kept = allocate(1000), address = 77;
  ASSERT_EQ(GASAN_POOL_FREED, release(allocate(500)));
  struct gasan_pool_counters before = counters();
  const uint64_t too_large[] = {UINT64_MAX, UINT64_MAX - 255, 1ull << 63, 4 * GIB + 1};
  for (int i = 0; i < 4; i++)
    ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_pool_allocate(pool, too_large[i], allocator, &address).code);
  const uint64_t no_room[] = {4 * GIB, 4 * GIB - 1, 3 * GIB}; /* with their redzones */
  for (int i = 0; i < 3; i++)
    ASSERT_EQ(GASAN_ERR_OUT_OF_ADDRESSES, gasan_pool_allocate(pool, no_room[i], allocator, &address).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_allocate(pool, 0, allocator, &address).code);
  ASSERT_EQ(77, address);
  struct gasan_pool_counters after = counters();
  ASSERT_MEM_EQ(&before, &after, sizeof before); /* the quarantine, too: releasing it could not have helped */
  ASSERT_EQ(GASAN_POOL_FREED, release(kept));
  close_pool();
  PASS();
}

TEST absurd_redzones_do_not_overflow(void) {
  struct gasan_pool_options options = small_options();
  options.redzone_percent = UINT32_MAX;
  options.redzone_min = UINT64_MAX;
  open_pool(GIB, &options);
  ASSERT_EQ(0, allocate(1));
  ASSERT_EQ(0, allocate(4 * GIB));
  close_pool();
  PASS();
}

TEST smallest_chunks(void) {
  open_small_pool();
  uint64_t base = gasan_pool_window_base(pool);
  ASSERT_EQ(base + 256, allocate(1));
  ASSERT_EQ(base + 768, allocate(256)); /* neighbours share a redzone */
  ASSERT_EQ(base + 1280, allocate(257));
  ASSERT_EQ(1, shadow_at(base + 256));
  ASSERT_EQ(0, shadow_at(base + 384));
  ASSERT_EQ(128, shadow_at(base + 768));
  ASSERT_EQ(128, shadow_at(base + 1023));
  ASSERT_EQ(0, shadow_at(base + 1024));
  ASSERT_EQ(1, shadow_at(base + 1280 + 256));
  close_pool();
  PASS();
}

TEST alignment(void) {
  struct gasan_pool_options options = small_options();
  options.alignment = 512;
  open_pool(8 * GIB, &options);
  uint64_t base = gasan_pool_window_base(pool);
  ASSERT_EQ(base + 512, allocate(1));
  ASSERT_EQ(base + 1024, allocate(256));
  ASSERT_EQ(base + 1536, allocate(257));
  ASSERT_EQ(base + 2560, allocate(1)); /* 256 bytes after the chunk would suffice without the alignment */
  close_pool();
  options.alignment = 768;
  device = fake_device_new(PAGE, GIB);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_pool_create(device, &options, &pool).code);
  fake_device_delete(device);
  PASS();
}

/* The greater redzone of two neighbours counts, in either order. */
TEST redzones_between_neighbours(void) {
  open_small_pool();
  uint64_t large = allocate(20000), small = allocate(16);
  ASSERT(small - (large + 20000) >= 10000 && small - (large + 20000) < 10000 + 512);
  uint64_t next = allocate(20000);
  ASSERT(next - (small + 16) >= 10000 && next - (small + 16) < 10000 + 512);
  ASSERT(large - gasan_pool_window_base(pool) >= 10000);
  close_pool();
  PASS();
}

/* First fit: a gap is used only if the chunk and both neighbours' redzones fit. */
TEST gaps_are_used(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 0;
  open_pool(GIB, &options);
  uint64_t first = allocate(256), middle = allocate(512), last = allocate(256);
  ASSERT_EQ(GASAN_POOL_FREED, release(middle));
  uint64_t too_large = allocate(768);
  ASSERT(too_large > last);
  ASSERT_EQ(middle, allocate(512));
  ASSERT_EQ(GASAN_POOL_FREED, release(middle));
  ASSERT_EQ(middle, allocate(1));
  ASSERT(first < middle);
  close_pool();
  PASS();
}

TEST encoding_256_never_says_one(void) {
  struct gasan_pool_options options = small_options();
  options.shadow_scale = GASAN_SCALE_256;
  open_pool(GIB, &options);
  struct gasan_chunk chunk;
  const uint64_t sizes[] = {1, 257, 513, 256 * 1000 + 1, 2, 256};
  for (int i = 0; i < 6; i++) {
    uint64_t address = allocate(sizes[i]);
    ASSERT(address);
    ASSERT(gasan_shadow_allows(8, shadow_at(address + sizes[i] - 1), address + sizes[i] - 1, 1));
    uint64_t slack = sizes[i] % 256 == 1; /* one byte more, never two */
    ASSERT_FALSE(gasan_shadow_allows(8, shadow_at(address + sizes[i] + slack), address + sizes[i] + slack, 1));
    ASSERT(gasan_pool_find(pool, address, &chunk));
    ASSERT_EQ(sizes[i], chunk.size);
    ASSERT_EQ(GASAN_POOL_FREED, release(address));
    ASSERT_EQ(0, shadow_at(address + sizes[i] - 1));
  }
  close_pool();
  PASS();
}

/* Only the pages of the user's range have memory, with and without L = 50 %. */
TEST redzones_of_large_chunks_are_virtual(void) {
  open_small_pool();
  uint64_t large = allocate(64 * MIB + 1), small = allocate(100), second = allocate(64 * MIB);
  ASSERT_EQ(0, large % PAGE);
  ASSERT_EQ(64 * MIB + PAGE + 64 * MIB + PAGE, counters().mapped_bytes);
  ASSERT(fake_device_has_memory(device, large, 64 * MIB + 1));
  ASSERT(fake_device_has_memory(device, second, 64 * MIB));
  ASSERT(fake_device_has_memory(device, small, 100));
  ASSERT_FALSE(fake_device_readable(device, large - 1, 1));
  ASSERT_FALSE(fake_device_readable(device, large + 64 * MIB + PAGE, 1));
  ASSERT_FALSE(fake_device_readable(device, second + 64 * MIB, 1));
  close_pool();
  PASS();
}

TEST small_chunks_share_pages(void) {
  open_small_pool();
  for (int i = 0; i < 64; i++)
    ASSERT(allocate(256));
  ASSERT_EQ(PAGE, counters().mapped_bytes);
  ASSERT_EQ(1, fake_device_calls(device, FAKE_MAP));
  ASSERT_EQ(1, fake_device_calls(device, FAKE_MEMORY_CREATE)); /* for the shadow */
  close_pool();
  PASS();
}

/* Calls of the device per pair of allocate and free, in the steady state. On an H200 each is 10 to 45 us, as long as
 * all of cudaMalloc and cudaFree of a small chunk. `launch`: a kernel is launched in between. */
static uint64_t calls_per_1000_pairs(uint64_t size, bool launch) {
  enum { PAIRS = 1000 };
  uint64_t before = 0;
  for (int pair = 0; pair < PAIRS + PAIRS / 10; pair++) {
    if (pair == PAIRS / 10)
      before = fake_device_calls(device, FAKE_ANY);
    uint64_t chunk = allocate(size);
    if (!chunk || (launch && !gasan_ok(gasan_pool_flush(pool))) || release(chunk) != GASAN_POOL_FREED)
      return UINT64_MAX;
  }
  return fake_device_calls(device, FAKE_ANY) - before;
}

TEST a_pair_makes_few_device_calls(void) {
  struct gasan_pool_options options = small_options();
  options.window_size = 64 * GIB;
  options.quarantine_size = 64 * MIB;
  open_pool(8 * GIB, &options);
  ASSERT_IN_RANGE(0, calls_per_1000_pairs(256, false), 20);
  ASSERT_IN_RANGE(0, calls_per_1000_pairs(4096, false), 250); /* pages of the fake device are 64 KiB */
  /* Map and unmap, and nothing for the shadow; beyond 8 units of it (of 32 MiB of addresses here, 256 MiB on an H200)
   * memory is allocated and released for the others. */
  for (uint64_t size = MIB; size <= 128 * MIB; size *= 2)
    ASSERT_EQ_FMT(2 * 1000ul, calls_per_1000_pairs(size, false), "%lu");
  ASSERT_IN_RANGE(2 * 1000, calls_per_1000_pairs(GIB, false), (2 + 2 * 32) * 1000);
  close_pool();
  open_pool(8 * GIB, &options);
  ASSERT_IN_RANGE(0, calls_per_1000_pairs(4096, true), 2500); /* one or two uploads */
  close_pool();
  PASS();
}

/* The benchmark's pattern that was slowest: 4 KiB, churned, while the quarantine is full of chunks of 256 bytes. */
TEST churning_makes_few_device_calls(void) {
  enum { SLOTS = 64, PAIRS = 20000 };
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 16 * MIB;
  options.alignment = 512;
  device = fake_device_new(2 * MIB, 8 * GIB); /* pages as a GPU has them */
  ASSERT(gasan_ok(gasan_pool_create(device, &options, &pool)));
  uint64_t chunks[SLOTS], random = 1, before = 0;
  for (int i = 0; i < 100000; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(allocate(256)));
  for (int i = 0; i < SLOTS; i++)
    ASSERT((chunks[i] = allocate(4096)));
  for (int pair = 0; pair < 2 * PAIRS; pair++) {
    if (pair == PAIRS)
      before = fake_device_calls(device, FAKE_ANY);
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint64_t *chunk = &chunks[random >> 33 & (SLOTS - 1)];
    ASSERT_EQ(GASAN_POOL_FREED, release(*chunk));
    ASSERT((*chunk = allocate(2049 + (random >> 40) % 2048)));
  }
  ASSERT_IN_RANGE(0, fake_device_calls(device, FAKE_ANY) - before, PAIRS / 100);
  for (int i = 0; i < SLOTS; i++)
    release(chunks[i]);
  close_pool();
  PASS();
}

TEST memory_goes_back(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 8 * MIB;
  open_pool(8 * GIB, &options);
  uint64_t waits = allocate(10000), goes = allocate(4 * MIB), too_large = allocate(100 * MIB);
  ASSERT_EQ(104 * MIB + PAGE, counters().mapped_bytes);
  ASSERT_EQ(GASAN_POOL_FREED, release(waits));
  ASSERT_EQ(104 * MIB + PAGE, counters().mapped_bytes); /* in the quarantine, with its memory */
  ASSERT_EQ(GASAN_POOL_FREED, release(goes));
  ASSERT_EQ(100 * MIB + PAGE, counters().mapped_bytes);
  ASSERT_EQ(GASAN_POOL_FREED, release(too_large)); /* for the quarantine, but it displaces no chunk */
  ASSERT_EQ(PAGE, counters().mapped_bytes);
  ASSERT_EQ(1, counters().quarantined_chunks);
  /* Pages of small chunks: some are kept for the next chunks, the others are released. */
  enum { CHUNKS = 4000 };
  static uint64_t chunks[CHUNKS];
  for (int i = 0; i < CHUNKS; i++)
    ASSERT((chunks[i] = allocate(16000)));
  ASSERT(counters().mapped_bytes > 60 * MIB);
  for (int i = 0; i < CHUNKS; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i]));
  ASSERT(counters().mapped_bytes <= 8 * MIB * 2 + 16 * MIB);
  close_pool();
  PASS();
}

/* A large chunk may get a page that small chunks have left mapped. */
TEST large_chunk_over_idle_pages(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 0;
  open_pool(GIB, &options);
  uint64_t chunks[500];
  for (int i = 0; i < 500; i++)
    ASSERT((chunks[i] = allocate(8000)));
  for (int i = 0; i < 500; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i]));
  ASSERT(counters().mapped_bytes > MIB);
  uint64_t one_page = allocate(PAGE), many_pages = allocate(MIB);
  ASSERT(one_page && many_pages && many_pages < chunks[499]);
  ASSERT(fake_device_has_memory(device, many_pages, MIB));
  fake_device_fail(device, FAKE_UNMAP, 1, 1);
  uint64_t address;
  ASSERT_EQ(GASAN_ERR_DEVICE, gasan_pool_allocate(pool, PAGE, allocator, &address).code);
  ASSERT(allocate(PAGE));
  close_pool();
  PASS();
}

TEST quarantine_is_first_in_first_out(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 3 * GASAN_POOL_LEAST_QUARANTINED;
  open_pool(GIB, &options);
  uint64_t chunks[4];
  for (int i = 0; i < 4; i++)
    chunks[i] = allocate(1000);
  for (int i = 0; i < 3; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[2 - i])); /* 2, 1, 0: exactly full */
  uint64_t next = allocate(1000);
  ASSERT(next > chunks[3]); /* none of the three is allocated */
  ASSERT_EQ(GASAN_POOL_FREED, release(chunks[3]));
  ASSERT_EQ(chunks[2], allocate(1000));
  ASSERT_EQ(1, counters().reused);
  ASSERT_EQ(GASAN_POOL_FREED, release(next));
  ASSERT_EQ(chunks[1], allocate(1000));
  ASSERT_EQ(3, counters().quarantined_chunks);
  close_pool();
  PASS();
}

/* Small chunks count for more than their size, so that the free of a greater one does not displace dozens of them. */
TEST small_chunks_do_not_crowd_the_quarantine(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = MIB;
  open_pool(GIB, &options);
  uint64_t most = MIB / GASAN_POOL_LEAST_QUARANTINED;
  for (uint64_t i = 0; i < 2 * most; i++)
    ASSERT_EQ(GASAN_POOL_FREED, release(allocate(256)));
  ASSERT_EQ(most, counters().quarantined_chunks);
  ASSERT_EQ(most * 256, counters().quarantined_bytes);
  ASSERT_EQ(GASAN_POOL_FREED, release(allocate(4096)));
  ASSERT_EQ(most - 1, counters().quarantined_chunks); /* two gone, one more */
  close_pool();
  PASS();
}

TEST frees_are_classified(void) {
  open_small_pool();
  struct gasan_chunk chunk;
  uint64_t base = gasan_pool_window_base(pool);
  ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, gasan_pool_free(pool, base + 256, freer, &chunk));
  ASSERT_EQ(0, chunk.size); /* there is no chunk yet */
  uint64_t address = allocate(1000);
  ASSERT_EQ(GASAN_POOL_NOT_IN_WINDOW, gasan_pool_free(pool, 0, freer, &chunk));
  ASSERT_EQ(GASAN_POOL_NOT_IN_WINDOW, gasan_pool_free(pool, base - 256, freer, &chunk));
  ASSERT_EQ(GASAN_POOL_NOT_IN_WINDOW, gasan_pool_free(pool, (uint64_t)&chunk, freer, &chunk));
  ASSERT_EQ(0, chunk.size);
  ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, gasan_pool_free(pool, address + 256, freer, &chunk));
  ASSERT_EQ(address, chunk.base);
  ASSERT_EQ(GASAN_CHUNK_LIVE, chunk.state);
  ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, gasan_pool_free(pool, address - 1, freer, NULL));
  ASSERT_EQ(GASAN_POOL_NOT_A_CHUNK, gasan_pool_free(pool, base + 4 * GIB - 1, freer, NULL));
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, address, freer, &chunk));
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  struct gasan_pool_caller again = {"cudaFree", 33, 5};
  ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, gasan_pool_free(pool, address, again, &chunk));
  ASSERT_EQ(22, chunk.free_stack); /* of the first free */
  ASSERT_EQ(2, chunk.free_thread);
  ASSERT_EQ(11, chunk.allocation_stack);
  ASSERT_EQ(1, chunk.allocation_thread);
  ASSERT_STR_EQ("cudaMalloc", chunk.api);
  ASSERT_EQ(1, counters().frees);
  close_pool();
  PASS();
}

TEST records_outlive_the_quarantine(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 0;
  open_pool(GIB, &options);
  struct gasan_chunk chunk;
  uint64_t address = allocate(10000);
  ASSERT_EQ(GASAN_POOL_FREED, release(address));
  ASSERT_EQ(0, counters().quarantined_chunks);
  ASSERT(gasan_pool_find(pool, address + 9999, &chunk));
  ASSERT_EQ(1, chunk.sequence);
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT(chunk.redzone_left >= 5000 && chunk.redzone_right >= 5000);
  ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, release(address));
  /* The record of the old chunk ends when a new chunk's addresses or redzones cover it: reports of the new one's
   * overflows do not name the old one. */
  uint64_t next = allocate(200);
  ASSERT(next < address);
  ASSERT(gasan_pool_find(pool, address, &chunk)); /* not in the new one's redzone */
  ASSERT_EQ(1, chunk.sequence);
  ASSERT(allocate(8000));
  ASSERT(gasan_pool_find(pool, address + 100, &chunk));
  ASSERT_EQ(3, chunk.sequence);
  ASSERT_EQ(1, counters().reused);
  close_pool();
  PASS();
}

TEST find_explains(void) {
  open_small_pool();
  struct gasan_chunk chunk;
  uint64_t base = gasan_pool_window_base(pool);
  ASSERT_FALSE(gasan_pool_find(pool, base, &chunk));
  uint64_t first = allocate(256), second = allocate(256);
  ASSERT_FALSE(gasan_pool_find(pool, base - 1, &chunk));
  ASSERT_FALSE(gasan_pool_find(pool, base + 4 * GIB, &chunk));
  ASSERT(gasan_pool_find(pool, base, &chunk));
  ASSERT_EQ(first, chunk.base);
  ASSERT(gasan_pool_find(pool, first + 255, &chunk));
  ASSERT_EQ(first, chunk.base);
  ASSERT_EQ(256, chunk.redzone_left);
  ASSERT_EQ(256, chunk.redzone_right);
  ASSERT(gasan_pool_find(pool, first + 256 + 100, &chunk));
  ASSERT_EQ(first, chunk.base);
  ASSERT(gasan_pool_find(pool, second - 100, &chunk));
  ASSERT_EQ(second, chunk.base);
  ASSERT(gasan_pool_find(pool, base + 4 * GIB - 1, &chunk));
  ASSERT_EQ(second, chunk.base);
  /* A byte halfway between two chunks (distance 128.5 has no byte; odd sizes have one) belongs to the live chunk, on
   * either side. */
  uint64_t odd = allocate(255), after = allocate(256);
  uint64_t middle = odd + 255 + 128; /* 129 from odd's last byte, 129 before `after` */
  ASSERT_EQ(middle - (odd + 254), after - middle);
  ASSERT_EQ(GASAN_POOL_FREED, release(odd));
  ASSERT(gasan_pool_find(pool, middle, &chunk));
  ASSERT_EQ(after, chunk.base);
  ASSERT_EQ(GASAN_POOL_FREED, release(after));
  ASSERT(gasan_pool_find(pool, middle, &chunk));
  ASSERT_EQ(odd, chunk.base);
  close_pool();
  PASS();
}

TEST covers(void) {
  open_small_pool();
  uint64_t fault = 0, address = allocate(1000);
  ASSERT(gasan_pool_covers(pool, address, 1000, &fault));
  ASSERT(gasan_pool_covers(pool, address + 999, 1, &fault));
  ASSERT(gasan_pool_covers(pool, 5, 0, &fault));
  ASSERT_FALSE(gasan_pool_covers(pool, address, 1001, &fault));
  ASSERT_EQ(address + 1000, fault);
  ASSERT_FALSE(gasan_pool_covers(pool, address + 500, UINT64_MAX, &fault));
  ASSERT_EQ(address + 1000, fault);
  ASSERT_FALSE(gasan_pool_covers(pool, address - 1, 10, &fault));
  ASSERT_EQ(address - 1, fault);
  ASSERT_FALSE(gasan_pool_covers(pool, address + 1000, 1, &fault));
  ASSERT_EQ(address + 1000, fault);
  ASSERT_FALSE(gasan_pool_covers(pool, 4096, 1, &fault));
  ASSERT_EQ(4096, fault);
  ASSERT_EQ(GASAN_POOL_FREED, release(address));
  ASSERT_FALSE(gasan_pool_covers(pool, address + 3, 1, &fault));
  ASSERT_EQ(address + 3, fault);
  close_pool();
  PASS();
}

TEST each_live(void) {
  open_small_pool();
  uint64_t chunks[10];
  for (int i = 0; i < 10; i++)
    chunks[i] = allocate(100);
  for (int i = 0; i < 10; i += 2)
    ASSERT_EQ(GASAN_POOL_FREED, release(chunks[i]));
  struct visits visits = {.in_order = true};
  gasan_pool_each_live(pool, visit, &visits);
  ASSERT_EQ(5, visits.count);
  ASSERT(visits.in_order);
  visits = (struct visits){.in_order = true, .stop_after = 2};
  gasan_pool_each_live(pool, visit, &visits);
  ASSERT_EQ(2, visits.count);
  close_pool();
  PASS();
}

TEST counters_count(void) {
  open_small_pool();
  uint64_t first = allocate(1000), second = allocate(3000);
  ASSERT_EQ(GASAN_POOL_FREED, release(first));
  struct gasan_pool_counters now = counters();
  ASSERT_EQ(1, now.live_chunks);
  ASSERT_EQ(3000, now.live_bytes);
  ASSERT_EQ(4000, now.peak_live_bytes);
  ASSERT_EQ(2, now.allocations);
  ASSERT_EQ(1, now.frees);
  ASSERT_EQ(1, now.quarantined_chunks);
  ASSERT_EQ(1000, now.quarantined_bytes);
  ASSERT_EQ(second + 3000 - gasan_pool_window_base(pool), now.used_window);
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(options_are_checked);
  RUN_TEST(default_options);
  RUN_TEST(greatest_window);
  RUN_TEST(window);
  RUN_TEST(absurd_sizes_change_nothing);
  RUN_TEST(absurd_redzones_do_not_overflow);
  RUN_TEST(smallest_chunks);
  RUN_TEST(redzones_between_neighbours);
  RUN_TEST(gaps_are_used);
  RUN_TEST(alignment);
  RUN_TEST(encoding_256_never_says_one);
  RUN_TEST(redzones_of_large_chunks_are_virtual);
  RUN_TEST(small_chunks_share_pages);
  RUN_TEST(a_pair_makes_few_device_calls);
  RUN_TEST(churning_makes_few_device_calls);
  RUN_TEST(memory_goes_back);
  RUN_TEST(large_chunk_over_idle_pages);
  RUN_TEST(quarantine_is_first_in_first_out);
  RUN_TEST(small_chunks_do_not_crowd_the_quarantine);
  RUN_TEST(frees_are_classified);
  RUN_TEST(records_outlive_the_quarantine);
  RUN_TEST(find_explains);
  RUN_TEST(covers);
  RUN_TEST(each_live);
  RUN_TEST(counters_count);
  GREATEST_MAIN_END();
}
