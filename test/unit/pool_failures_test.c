/* Each call of the device in a scenario fails once. Afterwards the pool is consistent, nothing leaks, and the next
 * operations work. Built with the host's AddressSanitizer and UBSan. */
#include "greatest.h"

#include "pool_fixture.h"

/* Divides a chunk. Without memory for the tables, nothing changes. */
static bool divide(uint64_t base, uint64_t size, bool and_back, int *failures) {
  struct gasan_chunk about;
  uint64_t fault, live = counters().live_regions;
  enum gasan_region_result result = gasan_pool_add_heap(pool, base, size, 0, &about);
  *failures += result != GASAN_REGIONS_OK;
  if (result != GASAN_REGIONS_OK)
    return result == GASAN_REGIONS_NO_MEMORY && gasan_pool_covers(pool, base, size, &fault);
  bool right = !gasan_pool_covers(pool, base, 1, &fault);
  for (uint64_t i = 0; i < 20; i++) {
    uint64_t region = base + i * (size / 20), bytes = size / 20 - i % 3 * 100;
    result = gasan_pool_add_region(pool, region, bytes, false, allocator, &about);
    *failures += result != GASAN_REGIONS_OK;
    bool added = result == GASAN_REGIONS_OK;
    right &= added || result == GASAN_REGIONS_NO_MEMORY;
    right &= gasan_pool_covers(pool, region, bytes, &fault) == added;
    if (added && i % 4 == 3)
      right &= gasan_pool_end_region(pool, region, freer, 0, &about) == GASAN_REGIONS_OK;
  }
  gasan_pool_flush(pool);
  if (and_back)
    right &= gasan_pool_remove_heap(pool, base) == GASAN_REGIONS_OK && gasan_pool_covers(pool, base, size, &fault) &&
             counters().live_regions == live;
  return right;
}

/* Allocates, frees and flushes chunks of all kinds. Counts the chunks that it could not allocate. */
static bool exercise(int *failures) {
  uint64_t chunks[40];
  bool right = true;
  for (int i = 0; i < 40; i++) {
    uint64_t size = i % 4 == 3 ? (uint64_t)i * 20000 : (uint64_t)i * 500 + 1;
    chunks[i] = allocate(size);
    *failures += !chunks[i];
    if (chunks[i]) {
      uint64_t fault;
      right &= gasan_pool_covers(pool, chunks[i], size, &fault) && fake_device_has_memory(device, chunks[i], size);
      right &= shadow_at(chunks[i] + size - 1) == ((size - 1) % 128) + 1;
    }
    if (chunks[i] && i % 8 == 7)
      right &= divide(chunks[i], size, i % 16 == 7, failures); /* the others are freed as heaps */
    if (i % 3 == 2 && chunks[i - 1]) {
      right &= release(chunks[i - 1]) == GASAN_POOL_FREED && shadow_at(chunks[i - 1]) == 0;
      chunks[i - 1] = 0;
    }
    if (i % 5 == 0)
      gasan_pool_flush(pool);
  }
  for (int i = 0; i < 40; i++)
    if (chunks[i])
      right &= release(chunks[i]) == GASAN_POOL_FREED && release(chunks[i]) == GASAN_POOL_DOUBLE_FREE;
  return right;
}

static bool is_consistent(const struct gasan_pool_options *options) {
  struct gasan_pool_counters now = counters();
  return now.live_chunks == 0 && now.live_bytes == 0 && now.live_regions == 0 && now.allocations == now.frees &&
         now.quarantined_bytes <= options->quarantine_size &&
         now.mapped_bytes + gasan_shadow_memory(gasan_pool_shadow(pool)) + now.tables_bytes ==
             fake_device_mapped(device);
}

/* Runs the scenario while `count` calls of `operation`, from number `first` on, fail. Sets *reached if there were so
 * many calls. */
static bool survives(enum fake_operation operation, uint64_t first, uint64_t count, bool *reached) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 50000;
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  device = fake_device_new(PAGE, 8 * GIB);
  pool = NULL;
  fake_device_fail(device, operation, first, count);
  struct gasan_status status = gasan_pool_create(device, &options, &pool);
  *reached = fake_device_calls(device, operation) >= first;
  if (!gasan_ok(status)) {
    bool clean = *reached && !pool;
    fake_device_fail(device, operation, 1, 0);
    fake_device_delete(device); /* checks that all memory was released, if it could be */
    return clean;
  }
  int failures = 0;
  bool right = exercise(&failures);
  *reached = fake_device_calls(device, operation) >= first;
  fake_device_fail(device, operation, 1, 0);
  right &= gasan_ok(gasan_pool_flush(pool));
  failures = 0;
  right &= exercise(&failures) && failures == 0 && gasan_ok(gasan_pool_flush(pool)) && is_consistent(&options);
  close_pool();
  return right;
}

static uint64_t calls_of_creation(enum fake_operation operation) {
  struct gasan_pool_options options = small_options();
  options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  open_pool(8 * GIB, &options);
  uint64_t calls = fake_device_calls(device, operation);
  close_pool();
  return calls;
}

/* A creation that fails releases its memory, which needs a device that accepts it: only calls that allocate fail there,
 * or calls of any kind. */
TEST any_call_may_fail(enum fake_operation operation) {
  static const uint64_t counts[] = {1, 2, 5, 9, 1000000};
  for (int i = 0; i < 5; i++) {
    bool gives_back = operation == FAKE_UNMAP || operation == FAKE_RELEASE || (operation == FAKE_ANY && counts[i] > 1);
    bool reached = true;
    for (uint64_t first = gives_back ? calls_of_creation(operation) + 1 : 1; reached; first++)
      ASSERT(survives(operation, first, counts[i], &reached));
  }
  PASS();
}

/* If a device does not release one chunk's memory, the other chunks and the pool still work. */
TEST refused_unmap_is_tried_again(void) {
  struct gasan_pool_options options = small_options();
  options.quarantine_size = 3 * MIB;
  open_pool(GIB, &options);
  uint64_t first = allocate(2 * MIB), second = allocate(2 * MIB), third = allocate(2 * MIB);
  fake_device_fail(device, FAKE_UNMAP, 1, 1);
  ASSERT_EQ(GASAN_POOL_FREED, release(first)); /* should be released, but stays */
  ASSERT_EQ(2 * MIB, counters().quarantined_bytes);
  ASSERT_EQ(6 * MIB, counters().mapped_bytes);
  ASSERT_EQ(GASAN_POOL_FREED, release(second));
  ASSERT_EQ(2 * MIB, counters().dead_bytes);
  ASSERT_EQ(4 * MIB, counters().mapped_bytes);
  fake_device_fail(device, FAKE_UNMAP, 1, 2);
  ASSERT_EQ(GASAN_POOL_FREED, release(third)); /* stays, too: the first one should be released, but stays */
  ASSERT_EQ(4 * MIB, counters().quarantined_bytes);
  ASSERT_EQ(GASAN_POOL_FREED, release(allocate(1000))); /* now one of them is released */
  ASSERT_EQ(2 * MIB + 1000, counters().quarantined_bytes);
  ASSERT_EQ(2 * MIB + PAGE, counters().mapped_bytes);
  ASSERT_EQ(GASAN_POOL_DOUBLE_FREE, release(third));
  close_pool();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (int operation = 0; operation < FAKE_OPERATIONS; operation++)
    RUN_TESTp(any_call_may_fail, (enum fake_operation)operation);
  RUN_TEST(refused_unmap_is_tried_again);
  GREATEST_MAIN_END();
}
