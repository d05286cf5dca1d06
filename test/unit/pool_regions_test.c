/* Regions of sub-allocators: what they change for kernels (bounds, shadow) and for the host (ranges, records), and the
 * errors of bad calls. The random test compares every pointer and byte with a simple model. Built with the host's
 * AddressSanitizer and UBSan. */
#include "greatest.h"

#include <string.h>

#include "pool_fixture.h"

#define BLOCK 512u
#define REACH 512u

static const struct gasan_pool_caller taker = {"take", 33, 3}, giver = {"give", 44, 4};
static struct gasan_params params;
static struct gasan_chunk about;

static void open_tables(uint32_t scale) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.shadow_scale = scale;
  open_pool(GIB, &options);
  params = (struct gasan_params){0};
  gasan_pool_params(pool, &params);
}

static enum gasan_region_result add_heap(uint64_t base, uint64_t size) {
  return gasan_pool_add_heap(pool, base, size, 0, &about);
}

static enum gasan_region_result take(uint64_t base, uint64_t size) {
  return gasan_pool_add_region(pool, base, size, false, taker, &about);
}

static enum gasan_region_result give(uint64_t base) {
  return gasan_pool_end_region(pool, base, giver, 0, &about);
}

/* The foreign ranges, as the runtime makes them. */
static struct gasan_range ranges[1 << 16];
static uint64_t range_count;

static void note_range(const struct gasan_range *range, void *context) {
  ranges[range_count++] = *range;
}

/* Finds a pointer's bounds like device code, after an upload. */
static struct gasan_bounds find(uint64_t pointer) {
  struct gasan_bounds bounds = look_up(&params, pointer);
  if (bounds.object != GASAN_OBJECT_REGIONS)
    return bounds;
  const volatile struct gasan_range *range = gasan_ranges_floor(ranges, range_count, pointer);
  if (!range || pointer > range->last)
    return gasan_nothing_there();
  return gasan_bounds_make(range->base, range->size, GASAN_OBJECT_MEMORY);
}

static bool upload(void) {
  range_count = 0;
  gasan_pool_each_region_bounds(pool, false, note_range, NULL);
  return gasan_ok(gasan_pool_flush(pool));
}

static bool has_bounds(uint64_t pointer, uint64_t base, uint64_t size) {
  struct gasan_bounds bounds = find(pointer);
  return bounds.base == base && bounds.size == size;
}

static bool covers(uint64_t address, uint64_t size, uint64_t *fault) {
  return gasan_pool_covers(pool, address, size, fault);
}

TEST regions_have_bounds_of_their_own(void) {
  uint64_t fault;
  open_tables(0);
  uint64_t base = allocate(4 * MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, 4 * MIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 1000));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024, 2048));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + MIB, 3 * MIB));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 1000));
  ASSERT(has_bounds(base + 999, base, 1000));
  ASSERT(has_bounds(base + 1000, base, 1000)); /* the end pointer */
  ASSERT(has_bounds(base + 1024, base + 1024, 2048));
  ASSERT(has_bounds(base + 3072, base + 1024, 2048));
  ASSERT_EQ(0, find(base + 500000).size);
  ASSERT(has_bounds(base + MIB, base + MIB, 3 * MIB));
  ASSERT(has_bounds(base + 4 * MIB, base + MIB, 3 * MIB));
  ASSERT(covers(base, 1000, &fault));
  ASSERT_FALSE(covers(base, 1001, &fault));
  ASSERT_EQ(base + 1000, fault);
  ASSERT_FALSE(covers(base + 1000, 1, &fault));
  ASSERT(covers(base + 1024 + 2047, 1, &fault));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base + 1024));
  ASSERT(upload());
  ASSERT(has_bounds(base + 1024, base + 1024, 0));
  ASSERT(has_bounds(base + 2000, base + 1024, 0));
  ASSERT_FALSE(covers(base + 1024, 1, &fault));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_remove_heap(pool, base));
  ASSERT(upload());
  ASSERT(has_bounds(base + 2000, base, 4 * MIB));
  ASSERT(covers(base, 4 * MIB, &fault));
  ASSERT_EQ(0, counters().live_regions);
  ASSERT_EQ(GASAN_POOL_FREED, release(base));
  close_pool();
  PASS();
}

/* An end pointer may be the base of the next region: it has the bounds of both. So may a freed region's base. */
TEST edges_belong_to_both(void) {
  open_tables(0);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, MIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 1024));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024, 1024));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 2048, 256));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 2048 + 256, 256));
  ASSERT(upload());
  ASSERT(has_bounds(base + 1023, base, 1024));
  ASSERT(has_bounds(base + 1024, base, 2048));
  ASSERT(has_bounds(base + 1024 + 512, base + 1024, 1024));
  ASSERT(has_bounds(base + 2048, base + 1024, 1024 + 256)); /* this block is searched, so bounds are exact */
  ASSERT(has_bounds(base + 2049, base + 2048, 256));
  ASSERT(has_bounds(base + 2048 + 256, base + 2048, 512));
  ASSERT(has_bounds(base + 2048 + 257, base + 2048 + 256, 256));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base + 1024));
  ASSERT(upload());
  ASSERT(has_bounds(base + 1024, base - 1, 1025)); /* the byte in front says that the pointer is both */
  ASSERT(has_bounds(base + 1025, base + 1024, 0));
  struct gasan_chunk chunk;
  bool in_region;
  ASSERT(gasan_pool_explain_bounds(pool, base - 1, 1025, base + 1024, &chunk, &in_region));
  ASSERT_EQ(base + 1024, chunk.base);
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT(gasan_pool_explain_bounds(pool, base, 1024, base + 1024, &chunk, &in_region));
  ASSERT_EQ(base, chunk.base);
  ASSERT(has_bounds(base + 2048, base + 2048, 256));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 0));
  ASSERT(has_bounds(base + 1024, base + 1024, 0));
  close_pool();
  PASS();
}

/* A pointer to the heap's base has the heap's bounds, unless a region begins there or began there. */
TEST the_heap_has_a_pointer(void) {
  open_tables(0);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, MIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 256, 1000));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, MIB));
  ASSERT(has_bounds(base + 1, base + 256, 1000));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 256));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 256));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 0));
  close_pool();
  PASS();
}

TEST a_part_of_a_chunk_may_be_a_heap(void) {
  uint64_t fault;
  open_tables(0);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base + 4096, 8192));
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base + 65536, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 4096, 100));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 65536 + 100, 100));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 4096));
  ASSERT(has_bounds(base + 4096, base, 4096 + 100));
  ASSERT(has_bounds(base + 4097, base, 4096 + 100)); /* in the same block */
  ASSERT(has_bounds(base + 20000, base + 12288, 65536 - 12288));
  ASSERT(has_bounds(base + MIB, base + 65536 + 4096, MIB - 65536 - 4096));
  ASSERT(covers(base, 4096, &fault));
  ASSERT_FALSE(covers(base, 4097, &fault));
  ASSERT(covers(base + 12288, 65536 - 12288, &fault));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_remove_heap(pool, base + 4096));
  ASSERT(upload());
  ASSERT(has_bounds(base + 5000, base, 65536));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_remove_heap(pool, base + 65536));
  ASSERT(upload());
  ASSERT(has_bounds(base + 5000, base, MIB));
  ASSERT_EQ(0, range_count);
  close_pool();
  PASS();
}

TEST bad_calls_change_nothing(void) {
  open_tables(GASAN_SCALE_128);
  uint64_t base = allocate(MIB), other = allocate(1000);
  ASSERT_EQ(GASAN_REGIONS_EMPTY, add_heap(base, 0));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_CHUNK, add_heap(base, MIB + 1));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_CHUNK, add_heap(base - 1, 10));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_CHUNK, add_heap(5, 10));
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base + 4096, 8192));
  ASSERT_EQ(GASAN_REGIONS_OVERLAP, add_heap(base, MIB));
  ASSERT_EQ(base + 4096, about.base);
  ASSERT_EQ(8192, about.size);
  ASSERT_EQ(GASAN_REGIONS_NO_HEAP, gasan_pool_remove_heap(pool, base));
  ASSERT_EQ(GASAN_REGIONS_NO_HEAP, gasan_pool_reset_heap(pool, base + 5000, giver, 0));
  ASSERT_EQ(GASAN_REGIONS_NO_HEAP, gasan_pool_remove_heap(pool, other));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_CHUNK, take(5, 10));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, take(base, 10));
  ASSERT_EQ(base, about.base);
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, take(base + 4095, 10));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, take(base + 4096, 8193));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, take(other, 10));
  ASSERT_EQ(GASAN_REGIONS_EMPTY, take(base + 4096, 0));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 5000, 100));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 6000, 100));
  ASSERT_EQ(GASAN_REGIONS_OVERLAP, take(base + 4990, 11));
  ASSERT_EQ(base + 5000, about.base);
  ASSERT_EQ(33, about.allocation_stack);
  ASSERT_EQ(base, about.heap_base);
  ASSERT_EQ(GASAN_REGIONS_OVERLAP, take(base + 5099, 1));
  ASSERT_EQ(GASAN_REGIONS_NO_REGION, give(base + 5001));
  ASSERT_EQ(base + 5000, about.base);
  ASSERT_EQ(GASAN_REGIONS_NO_REGION, gasan_pool_resize_region(pool, base + 5001, 10, 0, &about));
  ASSERT_EQ(GASAN_REGIONS_OVERLAP, gasan_pool_resize_region(pool, base + 5000, 1001, 0, &about));
  ASSERT_EQ(base + 6000, about.base);
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, gasan_pool_resize_region(pool, base + 6000, 8192, 0, &about));
  ASSERT_EQ(GASAN_REGIONS_EMPTY, gasan_pool_resize_region(pool, base + 6000, 0, 0, &about));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base + 5000));
  ASSERT_EQ(GASAN_REGIONS_NO_REGION, give(base + 5000));
  ASSERT_EQ(GASAN_CHUNK_FREED, about.state);
  ASSERT_EQ(44, about.free_stack);
  uint64_t fault;
  ASSERT(covers(base + 6000, 100, &fault));
  ASSERT_EQ(1, counters().live_regions);
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 4096));
  ASSERT_EQ(128, shadow_at(base));
  ASSERT_EQ(0, shadow_at(base + 8192));
  close_pool();
  PASS();
}

TEST records_explain_accesses(void) {
  struct gasan_chunk chunk;
  bool in_region;
  open_tables(0);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, MIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 1000));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base + 1024));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024, 512)); /* the rest still belongs to the freed one */
  ASSERT(gasan_pool_explain(pool, base + 1003, &chunk));
  ASSERT_EQ(base, chunk.base);
  ASSERT_EQ(1000, chunk.size);
  ASSERT_EQ(33, chunk.allocation_stack);
  ASSERT_EQ(base, chunk.heap_base);
  ASSERT_EQ(MIB, chunk.heap_size);
  ASSERT_EQ(11, chunk.heap_stack);
  ASSERT(gasan_pool_explain(pool, base + 4000, &chunk));
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT_EQ(base + 1024, chunk.base);
  ASSERT_EQ(4096, chunk.size);
  ASSERT_EQ(44, chunk.free_stack);
  ASSERT(gasan_pool_find(pool, base + 4000, &chunk));
  ASSERT_EQ(base, chunk.base);
  ASSERT_EQ(0, chunk.heap_size);
  ASSERT(chunk.is_divided);
  ASSERT(gasan_pool_explain_bounds(pool, base, 1000, base + 1000, &chunk, &in_region));
  ASSERT(in_region);
  ASSERT_EQ(base, chunk.base);
  ASSERT(gasan_pool_explain_bounds(pool, base + 1024, 0, base + 2000, &chunk, &in_region));
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT(gasan_pool_explain_bounds(pool, base, 0, base + 500000, &chunk, &in_region));
  ASSERT_FALSE(in_region);
  ASSERT_EQ(GASAN_POOL_FREED, release(base));
  ASSERT(gasan_pool_explain(pool, base + 4000, &chunk));
  ASSERT_EQ(base, chunk.base);
  ASSERT_EQ(GASAN_CHUNK_FREED, chunk.state);
  ASSERT_FALSE(gasan_pool_explain_bounds(pool, base, 0, base, &chunk, &in_region));
  close_pool();
  PASS();
}

/* Kernels that were launched before may use a freed region, and its bytes may already be another's. */
TEST freed_regions_linger(void) {
  uint64_t fault;
  open_tables(GASAN_SCALE_128);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, MIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_end_region(pool, base, giver, 7, &about));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 4096));
  ASSERT_EQ(128, shadow_at(base + 4095));
  ASSERT_FALSE(covers(base, 1, &fault)); /* the host's copies come later */
  ASSERT_EQ(GASAN_REGIONS_NO_REGION, give(base));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 1024));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 4096));
  ASSERT(has_bounds(base + 2048, base, 4096));
  gasan_pool_settle(pool, 6);
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 4096));
  gasan_pool_settle(pool, 7);
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 1024));
  ASSERT(has_bounds(base + 2048, base, 0));
  ASSERT_EQ(128, shadow_at(base + 1023));
  ASSERT_EQ(0, shadow_at(base + 1024));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_resize_region(pool, base, 100, 8, &about));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 1024));
  ASSERT_FALSE(covers(base, 101, &fault));
  gasan_pool_settle(pool, 8);
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 100));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 8192, 512));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_reset_heap(pool, base, giver, 9));
  ASSERT_EQ(0, counters().live_regions);
  ASSERT(upload());
  ASSERT(has_bounds(base + 8192, base + 8192, 512));
  gasan_pool_settle(pool, 9);
  ASSERT(upload());
  ASSERT(has_bounds(base + 8192, base + 8192, 0));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 8192, 512));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_end_region(pool, base + 8192, giver, 10, &about));
  ASSERT_EQ(GASAN_POOL_FREED, release(base)); /* forgets what lingers */
  gasan_pool_settle(pool, 10);
  close_pool();
  PASS();
}

/* A use of the whole chunk by a kernel launched before add_heap. */
TEST a_new_heap_lingers(void) {
  open_tables(GASAN_SCALE_8);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_add_heap(pool, base, MIB, 3, &about));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 20));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, MIB));
  ASSERT_EQ(0, shadow_at(base + MIB - 1));
  gasan_pool_settle(pool, 3);
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 20));
  ASSERT_EQ(0xfa, shadow_at(base + MIB - 1));
  ASSERT_EQ(4, shadow_at(base + 20));
  close_pool();
  PASS();
}

TEST other_pools_have_no_regions(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_TREE;
  open_pool(GIB, &options);
  uint64_t base = allocate(MIB);
  ASSERT_EQ(GASAN_REGIONS_NOT_SUPPORTED, add_heap(base, MIB));
  close_pool();
  PASS();
}

/* A region of 4 GiB or more: the tables' entries for blocks have no room for its size. */
TEST regions_may_be_large(void) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  options.shadow_scale = 0;
  options.window_size = 64 * GIB;
  open_pool(16 * GIB, &options);
  params = (struct gasan_params){0};
  gasan_pool_params(pool, &params);
  uint64_t base = allocate(12 * GIB);
  ASSERT(base);
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, 12 * GIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base, 1024));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024, 5 * GIB));
  ASSERT_EQ(GASAN_REGIONS_OK, take(base + 1024 + 5 * GIB, 6 * GIB));
  ASSERT(upload());
  ASSERT(has_bounds(base, base, 1024));
  ASSERT(has_bounds(base + 1024, base, 1024 + 5 * GIB));
  ASSERT(has_bounds(base + 1025, base + 1024, 5 * GIB));
  ASSERT(has_bounds(base + 3 * GIB, base + 1024, 5 * GIB));
  ASSERT(has_bounds(base + 9 * GIB, base + 1024 + 5 * GIB, 6 * GIB));
  ASSERT_EQ(GASAN_REGIONS_OK, give(base + 1024));
  ASSERT(upload());
  ASSERT(has_bounds(base + 3 * GIB, base + 1024, 0));
  close_pool();
  PASS();
}

/* Regions come and go: the tables' entries are used again. */
TEST tables_do_not_grow(void) {
  open_tables(0);
  uint64_t base = allocate(8 * MIB), used = 0;
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(base, 8 * MIB));
  for (uint64_t round = 0; round < 60; round++) {
    for (uint64_t i = 0; i < 200; i++)
      ASSERT_EQ(GASAN_REGIONS_OK, take(base + i * 40960 + round % 7 * 256, 40000 - round * 100));
    for (uint64_t i = 0; i < 200; i++)
      ASSERT_EQ(GASAN_REGIONS_OK, give(base + i * 40960 + round % 7 * 256));
    ASSERT(upload());
    if (round == 10)
      used = counters().tables_used;
  }
  ASSERT_EQ(used, counters().tables_used);
  close_pool();
  PASS();
}

/* The model: one chunk, and for each of its bytes the region that owns it. */
enum { HEAP = 64 * 1024, MOST = 400 };

struct model_region {
  uint64_t base, size, freed_size;
  bool live, known; /* known: some bytes are still its own */
  uint64_t ticket;  /* of a region that lingers */
};

static struct model_region model[MOST];
static int model_count;
static int owner[HEAP]; /* index + 1 */
static uint64_t heap, chunk_base, random_state;

static uint64_t random_below(uint64_t limit) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (random_state >> 33) % limit;
}

/* Sets the bounds that a pointer must have: all objects that it is inside of or at the end of; else those of freed
 * memory; else of the nearest within reach. */
static void expect(uint64_t pointer, uint64_t *base, uint64_t *size) {
  uint64_t low = UINT64_MAX, high = 0;
  for (int i = 0; i < model_count; i++)
    if ((model[i].live || model[i].ticket) && pointer >= model[i].base && pointer <= model[i].base + model[i].size) {
      low = model[i].base < low ? model[i].base : low;
      high = model[i].base + model[i].size > high ? model[i].base + model[i].size : high;
    }
  /* The end pointer is also one into freed memory. */
  if (high == pointer && high && pointer - heap < HEAP && owner[pointer - heap] &&
      !model[owner[pointer - heap] - 1].live && owner[pointer - heap] != owner[pointer - heap - 1])
    low--;
  *base = low;
  *size = high - low;
  if (high)
    return;
  *size = 0;
  if (pointer - heap < HEAP && owner[pointer - heap]) {
    *base = model[owner[pointer - heap] - 1].base;
    return;
  }
  *base = heap;
  if (pointer == heap) {
    *size = HEAP;
    return;
  }
  uint64_t before = pointer - 1 - heap < HEAP ? pointer - 1 : heap + HEAP - 1, after = pointer;
  while (before >= heap && !owner[before - heap])
    before--;
  while (after < heap + HEAP && !owner[after - heap])
    after++;
  const struct model_region *a = before >= heap ? &model[owner[before - heap] - 1] : NULL,
                            *b = after < heap + HEAP ? &model[owner[after - heap] - 1] : NULL;
  bool near_a = a && a->live && pointer - (before + 1) < REACH, near_b = b && b->live && after - pointer <= REACH;
  if (near_a && near_b)
    *(pointer - (before + 1) <= after - pointer ? &near_b : &near_a) = false;
  const struct model_region *nearest = near_a ? a : near_b ? b : NULL;
  if (nearest) {
    *base = nearest->base;
    *size = nearest->size;
  }
}

/* In a block with one entry, a base may be lower by less than a block, for pointers behind the base's block; and if a
 * region begins at the block where another ends, all of the block has the bounds of both. */
static bool is_right(uint64_t pointer, struct gasan_bounds bounds) {
  uint64_t base, size, first_base, first_size;
  expect(pointer, &base, &size);
  if (bounds.base == base && bounds.size == size)
    return true;
  if (size == 0)
    return bounds.size == 0 && bounds.base == base / BLOCK * BLOCK;
  if (bounds.size && bounds.base == base / BLOCK * BLOCK && bounds.base + bounds.size == base + size &&
      pointer / BLOCK > base / BLOCK)
    return true;
  uint64_t block = pointer / BLOCK * BLOCK;
  expect(block, &first_base, &first_size);
  return base == block && first_base + first_size == base + size &&
         bounds.base == (first_base < block ? first_base / BLOCK * BLOCK : first_base) &&
         bounds.base + bounds.size == base + size;
}

static bool is_accessible(uint64_t offset) {
  for (int i = 0; i < model_count; i++)
    if ((model[i].live || model[i].ticket) && heap + offset - model[i].base < model[i].size)
      return true;
  return false;
}

static bool shadow_is_right(uint32_t scale) {
  static bool accessible[HEAP];
  uint64_t size = 1ull << scale;
  memset(accessible, 0, sizeof accessible);
  for (int i = 0; i < model_count; i++)
    if (model[i].live || model[i].ticket)
      memset(accessible + (model[i].base - heap), 1, model[i].size);
  for (uint64_t block = (heap + size - 1) / size * size; block + size <= heap + HEAP; block += size) {
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < size; i++)
      if (accessible[block + i - heap])
        wanted = i + 1;
    wanted = wanted == 1 && size == 256 ? 2 : wanted;
    if (gasan_shadow_decode(scale, shadow_at(block)) != wanted)
      return false;
  }
  return true;
}

/* Gives the region's bytes to it. */
static void own(int number, uint64_t base, uint64_t size) {
  for (uint64_t i = base - heap; i < base - heap + size; i++)
    owner[i] = number + 1;
}

static bool is_free(uint64_t base, uint64_t size) {
  for (uint64_t i = base - heap; i < base - heap + size; i++)
    if (owner[i] && model[owner[i] - 1].live)
      return false;
  return true;
}

static uint64_t random_size(uint64_t alignment) {
  uint64_t size = random_below(8000 >> random_below(10)) + 1;
  return random_below(3) ? size : (size + alignment - 1) / alignment * alignment;
}

static bool random_take(uint64_t alignment) {
  uint64_t base = heap + random_below(HEAP / alignment) * alignment, size = random_size(alignment);
  if (model_count == MOST)
    return true;
  bool inside = size <= HEAP - (base - heap);
  enum gasan_region_result wanted = !inside               ? GASAN_REGIONS_NOT_IN_HEAP
                                    : is_free(base, size) ? GASAN_REGIONS_OK
                                                          : GASAN_REGIONS_OVERLAP;
  if (take(base, size) != wanted)
    return false;
  if (wanted != GASAN_REGIONS_OK)
    return true;
  model[model_count++] = (struct model_region){.base = base, .size = size, .live = true};
  own(model_count - 1, base, size);
  return true;
}

static int random_live(void) {
  int start = model_count ? (int)random_below((uint64_t)model_count) : 0;
  for (int i = 0; i < model_count; i++)
    if (model[(start + i) % model_count].live)
      return (start + i) % model_count;
  return -1;
}

static bool random_give(uint64_t ticket) {
  int number = random_live();
  if (number < 0)
    return true;
  model[number].live = false;
  model[number].ticket = ticket;
  return gasan_pool_end_region(pool, model[number].base, giver, ticket, &about) == GASAN_REGIONS_OK;
}

static bool random_resize(uint64_t alignment) {
  int number = random_live();
  if (number < 0)
    return true;
  struct model_region *region = &model[number];
  uint64_t size = random_size(alignment);
  bool inside = size <= HEAP - (region->base - heap);
  bool may = inside && (size <= region->size || is_free(region->base + region->size, size - region->size));
  enum gasan_region_result result = gasan_pool_resize_region(pool, region->base, size, 0, &about);
  if (result != (may ? GASAN_REGIONS_OK : inside ? GASAN_REGIONS_OVERLAP : GASAN_REGIONS_NOT_IN_HEAP))
    return false;
  if (!may)
    return true;
  for (uint64_t i = region->base - heap + size; i < region->base - heap + region->size; i++)
    owner[i] = 0;
  region->size = size;
  own(number, region->base, size);
  return true;
}

static void settle_all(uint64_t ticket) {
  gasan_pool_settle(pool, ticket);
  for (int i = 0; i < model_count; i++)
    if (model[i].ticket == ticket)
      model[i].ticket = 0;
}

/* Drops the model's regions without bytes. */
static void compact(void) {
  static int numbers[MOST];
  int kept = 0;
  for (int i = 0; i < model_count; i++)
    model[i].known = model[i].live || model[i].ticket;
  for (int i = 0; i < HEAP; i++)
    if (owner[i])
      model[owner[i] - 1].known = true;
  for (int i = 0; i < model_count; i++) {
    numbers[i] = kept;
    if (model[i].known)
      model[kept++] = model[i];
  }
  for (int i = 0; i < HEAP; i++)
    if (owner[i])
      owner[i] = numbers[owner[i] - 1] + 1;
  model_count = kept;
}

static bool host_is_right(void) {
  uint64_t offset = random_below(HEAP), size = random_below(3000) + 1, fault;
  int number = owner[offset];
  uint64_t end = number && model[number - 1].live ? model[number - 1].base + model[number - 1].size : heap + offset;
  bool wanted = heap + offset + size <= end;
  if (covers(heap + offset, size, &fault) != wanted || (!wanted && fault != end))
    return false;
  struct gasan_chunk chunk;
  if (!number)
    return true;
  return gasan_pool_explain(pool, heap + offset, &chunk) && chunk.base == model[number - 1].base &&
         (chunk.state == GASAN_CHUNK_LIVE) == model[number - 1].live;
}

TEST random_regions(uint64_t alignment, uint32_t scale, uint64_t margin, uint64_t seed) {
  open_tables(scale);
  random_state = seed;
  model_count = 0;
  memset(owner, 0, sizeof owner);
  chunk_base = allocate(HEAP + 2 * margin);
  heap = chunk_base + margin;
  ASSERT_EQ(GASAN_REGIONS_OK, add_heap(heap, HEAP));
  if (margin) { /* the parts outside are like live regions that never change */
    heap = chunk_base;
    ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_remove_heap(pool, chunk_base + margin));
    ASSERT_EQ(GASAN_REGIONS_OK, add_heap(heap, HEAP));
  }
  for (int step = 0; step < 1500; step++) {
    uint64_t ticket = step % 3 ? 0 : (uint64_t)step / 20 + 1;
    uint64_t choice = random_below(10);
    ASSERT(choice < 5 ? random_take(alignment) : choice < 9 ? random_give(ticket) : random_resize(alignment));
    if (step % 20 == 19)
      settle_all((uint64_t)step / 20 + 1);
    if (model_count > MOST / 2)
      compact();
    ASSERT(host_is_right());
    if (step % 10)
      continue;
    ASSERT(upload());
    uint64_t pointers = margin ? HEAP : HEAP + 1;
    for (uint64_t offset = 0; offset < pointers; offset += 1 + random_below(40)) {
      if (margin && offset + REACH >= HEAP)
        break;
      ASSERT(is_right(heap + offset, find(heap + offset)));
      struct gasan_bounds bounds;
      ASSERT(gasan_pool_bounds(pool, heap + offset, &bounds));
      ASSERT_EQ(bounds.object, look_up(&params, heap + offset).object);
    }
    for (int i = 0; i < model_count; i++)
      if (model[i].live)
        ASSERT(margin || is_right(model[i].base + model[i].size, find(model[i].base + model[i].size)));
    ASSERT(is_accessible(0) || !scale || scale != GASAN_SCALE_8 || shadow_at(heap) != 0);
    ASSERT(!scale || shadow_is_right(scale));
  }
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_pool_remove_heap(pool, heap));
  uint64_t fault;
  ASSERT(upload());
  ASSERT(covers(chunk_base, HEAP + 2 * margin, &fault));
  for (uint64_t offset = 0; offset <= HEAP + 2 * margin; offset += 100)
    ASSERT(has_bounds(chunk_base + offset, chunk_base, HEAP + 2 * margin));
  ASSERT_EQ(0, counters().live_regions);
  ASSERT_EQ(GASAN_POOL_FREED, release(chunk_base));
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(regions_have_bounds_of_their_own);
  RUN_TEST(edges_belong_to_both);
  RUN_TEST(the_heap_has_a_pointer);
  RUN_TEST(a_part_of_a_chunk_may_be_a_heap);
  RUN_TEST(bad_calls_change_nothing);
  RUN_TEST(records_explain_accesses);
  RUN_TEST(freed_regions_linger);
  RUN_TEST(a_new_heap_lingers);
  RUN_TEST(other_pools_have_no_regions);
  RUN_TEST(regions_may_be_large);
  RUN_TEST(tables_do_not_grow);
  static const uint64_t alignments[] = {1, 16, 256, 512};
  static const uint32_t scales[] = {GASAN_SCALE_128, GASAN_SCALE_8, GASAN_SCALE_256, 0};
  for (int i = 0; i < 4; i++) {
    RUN_TESTp(random_regions, alignments[i], scales[i], 0, 1 + (uint64_t)i);
    RUN_TESTp(random_regions, alignments[i], scales[3 - i], 4096, 11 + (uint64_t)i);
  }
  GREATEST_MAIN_END();
}
