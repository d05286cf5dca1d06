/* The bounds that code in BST mode finds for each pointer into the pool's window, compared with an oracle that knows
 * all chunks, over random allocations and frees. Built with the host's AddressSanitizer and UBSan. */
#include "greatest.h"

#include <pthread.h>
#include <string.h>

#include "pool_fixture.h"
#include "shadow/range_table.h"

#define BLOCK (1u << GASAN_MAP_BLOCK_SHIFT)
#define MOST 3000
#define SEEN (256 * MIB) /* of the window, from its start */

struct setting {
  enum gasan_pool_lookup lookup;
  uint32_t scale, page_size, redzone_percent;
  uint64_t greatest, quarantine_size;
  int operations;
};

static const struct setting settings[] = {
    {GASAN_POOL_LOOKUP_PAGEMAP, 0, 65536, 50, 5000, 20000, 4000},        /* small */
    {GASAN_POOL_LOOKUP_PAGEMAP, 7, 65536, 50, 9 * MIB, 4 * MIB, 1200},   /* mixed */
    {GASAN_POOL_LOOKUP_PAGEMAP, 0, 2 * MIB, 50, 9 * MIB, 4 * MIB, 1200}, /* pages of 2 MiB */
    {GASAN_POOL_LOOKUP_PAGEMAP, 0, 4096, 0, 6 * MIB, 0, 1500},           /* no redzones */
    {GASAN_POOL_LOOKUP_PAGEMAP, 8, 65536, 300, 2 * MIB, MIB, 1200},      /* wide redzones */
    {GASAN_POOL_LOOKUP_TREE, 0, 65536, 50, 5 * MIB, 4 * MIB, 1200},      /* tree */
    {GASAN_POOL_LOOKUP_LIST, 0, 65536, 50, 50000, 20000, 400},           /* list */
    {GASAN_POOL_LOOKUP_NONE, 0, 65536, 50, 5 * MIB, 4 * MIB, 1200},      /* late: a tree that is added */
    {GASAN_POOL_LOOKUP_NONE, 7, 65536, 300, 50000, 20000, 1200},         /* late, beside a shadow */
};

struct chunk {
  uint64_t base, size;
  bool live, forgotten; /* forgotten: other chunks may have had its addresses since */
};

static uint64_t random_state;
static struct chunk chunks[MOST];
static uint32_t chunk_count;
static struct gasan_params params;

static uint64_t random_below(uint64_t limit) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (random_state >> 33) % limit;
}

static uint64_t random_size(const struct setting *setting) {
  uint64_t size = random_below((setting->greatest >> random_below(14)) + 1) + 1;
  return random_below(4) ? size : (size + BLOCK - 1) / BLOCK * BLOCK;
}

static bool is(struct gasan_bounds bounds, const struct chunk *chunk) {
  return bounds.object == GASAN_OBJECT_MEMORY && bounds.base == chunk->base &&
         bounds.size == (chunk->live ? chunk->size : 0);
}

/* A pointer outside of all chunks belongs to none, or to one that is near. */
static bool is_plausible(struct gasan_bounds bounds) {
  if (bounds.object == GASAN_OBJECT_WILD)
    return true;
  for (uint32_t i = 0; i < chunk_count; i++)
    if (chunks[i].base == bounds.base && (chunks[i].live ? chunks[i].size : 0) == bounds.size)
      return true;
  return false;
}

/* With a page map, the host finds what device code does once all is uploaded. */
static bool host_finds(uint64_t pointer, struct gasan_bounds device) {
  struct gasan_bounds host;
  if (!gasan_pool_bounds(pool, pointer, &host))
    return params.lookup != GASAN_LOOKUP_PAGEMAP;
  return host.base == device.base && host.size == device.size && host.object == device.object;
}

/* Every block of the part of the window that is used, at a random byte of it. Only for pools that begin with a lookup:
 * in others, a block can have bytes of two chunks. */
static bool window_is_right(uint32_t *owner) {
  memset(owner, 0, SEEN / BLOCK * sizeof *owner);
  for (uint32_t i = 0; i < chunk_count; i++)
    if (chunks[i].live)
      for (uint64_t at = chunks[i].base - params.window_base, end = at + chunks[i].size; at <= end && at < SEEN;
           at += BLOCK)
        owner[at / BLOCK] = i + 1;
  uint64_t end = counters().used_window + 4 * MIB;
  for (uint64_t offset = 0; offset < (end < SEEN ? end : SEEN); offset += BLOCK) {
    uint64_t pointer = params.window_base + offset + random_below(BLOCK);
    struct gasan_bounds bounds = look_up(&params, pointer);
    uint32_t number = owner[offset / BLOCK];
    if (!host_finds(pointer, bounds))
      return false;
    if (number ? !is(bounds, &chunks[number - 1]) : random_below(64) == 0 && !is_plausible(bounds))
      return false;
  }
  return true;
}

static bool chunk_is_right(const struct setting *setting, struct chunk *chunk) {
  struct gasan_chunk record;
  if (chunk->live)
    return is(look_up(&params, chunk->base), chunk) && is(look_up(&params, chunk->base + chunk->size - 1), chunk) &&
           is(look_up(&params, chunk->base + chunk->size), chunk) && is(look_up(&params, chunk->base - 1), chunk) &&
           is(look_up(&params, chunk->base - (setting->lookup ? BLOCK : 100)), chunk);
  chunk->forgotten |=
      !gasan_pool_find(pool, chunk->base, &record) || record.base != chunk->base || record.state == GASAN_CHUNK_LIVE;
  uint64_t pointer = chunk->base + random_below(chunk->size);
  struct gasan_bounds bounds = look_up(&params, pointer);
  if (chunk->forgotten)
    return true;
  /* Only chunks that still own their addresses are searched: the others' addresses may be in a neighbour's span. */
  return is(bounds, chunk) || (setting->lookup != GASAN_POOL_LOOKUP_PAGEMAP && !gasan_bounds_allow(bounds, pointer, 1));
}

static bool allocate_one(const struct setting *setting) {
  struct chunk *chunk = &chunks[chunk_count];
  *chunk = (struct chunk){.size = random_size(setting), .live = true};
  chunk->base = allocate(chunk->size);
  for (uint32_t i = 0; i < chunk_count; i++)
    chunks[i].forgotten |= !chunks[i].live && chunks[i].base == chunk->base;
  chunk_count++;
  return chunk->base != 0;
}

static bool free_one(void) {
  struct chunk *chunk = &chunks[random_below(chunk_count)];
  if (!chunk->live)
    return true;
  chunk->live = false;
  return release(chunk->base) == GASAN_POOL_FREED;
}

/* Adds the lookup to a pool without one: code with checks is loaded after many allocations and frees. */
static bool add_lookup(const struct setting *setting) {
  for (int i = 0; i < 200; i++)
    if (!(random_below(9) < 5 ? allocate_one(setting) : chunk_count == 0 || free_one()))
      return false;
  if (!gasan_ok(gasan_pool_add_lookup(pool)) || !gasan_ok(gasan_pool_add_lookup(pool)))
    return false;
  gasan_pool_params(pool, &params);
  return params.lookup == GASAN_LOOKUP_TREE;
}

TEST pointers_lead_to_their_chunks(const struct setting *setting) {
  struct gasan_pool_options options = small_options();
  options.lookup = setting->lookup;
  options.shadow_scale = setting->scale;
  options.redzone_percent = setting->redzone_percent;
  options.quarantine_size = setting->quarantine_size;
  device = fake_device_new(setting->page_size, 8 * GIB);
  ASSERT(gasan_ok(gasan_pool_create(device, &options, &pool)));
  random_state = 7;
  chunk_count = 0;
  params = (struct gasan_params){0};
  gasan_pool_params(pool, &params);
  ASSERT(setting->lookup != GASAN_POOL_LOOKUP_NONE || add_lookup(setting));
  uint32_t *owner = malloc(SEEN / BLOCK * sizeof *owner);
  for (int operation = 0; operation < setting->operations; operation++) {
    ASSERT(random_below(9) < 5 && chunk_count < MOST ? allocate_one(setting) : chunk_count == 0 || free_one());
    if (operation % 16)
      continue;
    ASSERT(gasan_ok(gasan_pool_flush(pool)));
    for (uint32_t i = 0; i < chunk_count; i++)
      ASSERT(chunk_is_right(setting, &chunks[i]));
    if (operation % 160 == 0 && setting->lookup)
      ASSERT(window_is_right(owner));
  }
  struct gasan_pool_counters now = counters();
  uint64_t shadow = setting->scale ? gasan_shadow_memory(gasan_pool_shadow(pool)) : 0;
  ASSERT_EQ(fake_device_mapped(device), now.mapped_bytes + now.tables_bytes + shadow);
  free(owner);
  close_pool();
  PASS();
}

/* Every change of a lookup's result changes the epoch. */
TEST epoch_tells_of_changes(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  open_pool(8 * GIB, &options);
  uint64_t epoch = gasan_pool_epoch(pool), last = epoch;
  uint64_t address = allocate(5000);
  ASSERT(address);
  ASSERT((epoch = gasan_pool_epoch(pool)) != last);
  last = epoch;
  ASSERT_EQ(last, gasan_pool_epoch(pool));
  ASSERT(gasan_ok(gasan_pool_flush(pool)));
  ASSERT_EQ(last, gasan_pool_epoch(pool));
  struct gasan_bounds bounds;
  ASSERT(gasan_pool_bounds(pool, address + 4999, &bounds));
  ASSERT_EQ(address, bounds.base);
  ASSERT_EQ(5000u, bounds.size);
  ASSERT_EQ(GASAN_POOL_FREED, gasan_pool_free(pool, address, (struct gasan_pool_caller){"free", 0, 0}, NULL));
  ASSERT(gasan_pool_epoch(pool) != last);
  ASSERT(gasan_pool_bounds(pool, address + 4999, &bounds));
  ASSERT_EQ(address, bounds.base);
  ASSERT_EQ(0u, bounds.size);
  close_pool();
  PASS();
}

/* Thousands of chunks come and go: entries and tables are used again. */
TEST tables_do_not_grow(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.quarantine_size = 0;
  open_pool(8 * GIB, &options);
  uint64_t after_a_round = 0;
  for (int round = 0; round < 40; round++) {
    uint64_t addresses[200];
    for (int i = 0; i < 200; i++)
      ASSERT(addresses[i] = allocate(1000 + (uint64_t)(round * 37 + i * 101) % 9000));
    for (int i = 0; i < 200; i++)
      ASSERT_EQ(GASAN_POOL_FREED, release(addresses[i]));
    if (round == 3)
      after_a_round = counters().tables_bytes;
  }
  ASSERT_EQ(after_a_round, counters().tables_bytes);
  close_pool();
  PASS();
}

/* A freed chunk is dead at once, and so are the addresses of a freed large chunk. */
TEST the_dead_keep_their_addresses(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.shadow_scale = 0;
  open_pool(8 * GIB, &options);
  ASSERT_EQ(NULL, gasan_pool_shadow(pool));
  uint64_t large = allocate(10 * MIB), small = allocate(700);
  params = (struct gasan_params){0};
  gasan_pool_params(pool, &params);
  release(large);
  release(small);
  uint64_t others[3] = {allocate(10 * MIB), allocate(700), allocate(30 * MIB)};
  ASSERT(gasan_ok(gasan_pool_flush(pool)));
  ASSERT(others[0] != large && others[1] != small);
  for (uint64_t offset = 0; offset <= 10 * MIB; offset += 4096) {
    struct gasan_bounds bounds = look_up(&params, large + offset);
    ASSERT_EQ(large, bounds.base);
    ASSERT_EQ(0, bounds.size);
  }
  ASSERT_EQ(small, look_up(&params, small + 700).base);
  ASSERT_EQ(0, look_up(&params, small).size);
  ASSERT_EQ(30 * MIB, look_up(&params, others[2] - 1).size);
  close_pool();
  PASS();
}

/* A block has no room for such a size. */
TEST chunks_of_4_gib_are_found_by_their_last_blocks(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.shadow_scale = 0;
  options.window_size = 16 * GIB;
  options.redzone_percent = 0;
  open_pool(16 * GIB, &options);
  params = (struct gasan_params){0};
  gasan_pool_params(pool, &params);
  const uint64_t size = 4 * GIB + 5000;
  uint64_t before = allocate(700), large = allocate(size), behind = allocate(100000);
  ASSERT(before && large && behind && behind - (large + size) < 2 * MIB);
  ASSERT(gasan_ok(gasan_pool_flush(pool)));
  for (int freed = 0; freed < 2; freed++) {
    const uint64_t offsets[] = {0, PAGE, 2 * MIB, 4 * GIB - 1, 4 * GIB, size - 1, size};
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
      struct gasan_bounds bounds = look_up(&params, large + offsets[i]);
      ASSERT_EQ(large, bounds.base);
      ASSERT_EQ(freed ? 0 : size, bounds.size);
    }
    ASSERT_EQ(before, look_up(&params, before + 700).base);
    ASSERT_EQ(100000, look_up(&params, behind).size);
    ASSERT(freed || release(large) == GASAN_POOL_FREED);
    ASSERT(gasan_ok(gasan_pool_flush(pool)));
  }
  close_pool();
  PASS();
}

static struct gasan_ranges *ranges;
static _Atomic bool writing;

/* Each version has its number in all of its ranges. */
static void *write_versions(void *unused) {
  struct gasan_range values[400];
  for (uint64_t version = 1; version <= 3000; version++) {
    uint64_t count = 100 + version * 37 % 300;
    for (uint64_t i = 0; i < count; i++)
      values[i] = (struct gasan_range){i * 1000, i * 1000 + 999, version * 1000 + i, count};
    if (!gasan_ok(gasan_ranges_write(ranges, values, count)))
      abort();
  }
  writing = false;
  return unused;
}

TEST searches_never_see_half_a_version(void) {
  device = fake_device_new(PAGE, GIB);
  ASSERT(gasan_ok(gasan_ranges_create(device, &ranges)));
  const struct gasan_range_table *table = (const void *)gasan_ranges_address(ranges);
  struct gasan_bounds bounds;
  ASSERT_EQ(GASAN_SEARCH_NOTHING, gasan_ranges_search(table, 5, false, &bounds));
  pthread_t writer;
  writing = true;
  ASSERT_EQ(0, pthread_create(&writer, NULL, write_versions, NULL));
  uint64_t newest = 0;
  bool right = true;
  while (writing && right) {
    uint64_t i = random_below(420);
    enum gasan_search result = gasan_ranges_search(table, i * 1000 + random_below(1000), false, &bounds);
    if (result != GASAN_SEARCH_FOUND)
      continue;
    right =
        bounds.base % 1000 == i && bounds.base / 1000 >= newest && bounds.size == 100 + bounds.base / 1000 * 37 % 300;
    newest = bounds.base / 1000;
  }
  pthread_join(writer, NULL);
  ASSERT(right);
  ASSERT(gasan_ranges_memory(ranges) < 100000);
  gasan_ranges_destroy(ranges);
  fake_device_delete(device);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
    RUN_TESTp(pointers_lead_to_their_chunks, &settings[i]);
  RUN_TEST(epoch_tells_of_changes);
  RUN_TEST(tables_do_not_grow);
  RUN_TEST(the_dead_keep_their_addresses);
  RUN_TEST(chunks_of_4_gib_are_found_by_their_last_blocks);
  RUN_TEST(searches_never_see_half_a_version);
  GREATEST_MAIN_END();
}
