/* The owner of a pointer in the array of foreign ranges that device code searches, for ranges that touch. */
#include <stdlib.h>

#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_ranges.h"
#include "greatest.h"
#include "shadow/bounds.h"

static struct gasan_foreign_ranges ranges;

static void add(enum gasan_foreign_kind kind, uint64_t base, uint64_t size) {
  gasan_foreign_add(kind, (const void *)(uintptr_t)base, size, (struct gasan_pool_caller){"test", 1, 0});
}

static void make(void) {
  if (!gasan_foreign_ranges_make(&ranges))
    abort();
}

static void forget(void) {
  free(ranges.values);
  gasan_foreign_forget(~0u);
}

/* Looks like device code: returns whether these are the pointer's bounds. A size of UINT64_MAX means no bounds. */
static bool has_bounds(uint64_t pointer, uint64_t base, uint64_t size) {
  const volatile struct gasan_range *range = gasan_ranges_floor(ranges.values, ranges.count, pointer);
  if (!range || pointer > range->last)
    return size == UINT64_MAX;
  return range->base == base && range->size == size;
}

TEST a_pointer_to_the_end_is_the_ranges(void) {
  add(GASAN_FOREIGN_DRIVER, 1000, 100);
  add(GASAN_FOREIGN_DRIVER, 1101, 10);
  make();
  ASSERT(has_bounds(999, 0, UINT64_MAX) && has_bounds(1112, 0, UINT64_MAX));
  for (uint64_t pointer = 1000; pointer <= 1100; pointer++)
    ASSERT(has_bounds(pointer, 1000, 100));
  for (uint64_t pointer = 1101; pointer <= 1111; pointer++)
    ASSERT(has_bounds(pointer, 1101, 10));
  forget();
  PASS();
}

/* A pointer to the address where two ranges touch may access both; no other pointer may. */
TEST where_ranges_touch_a_pointer_is_of_both(void) {
  add(GASAN_FOREIGN_DRIVER, 1000, 100);
  add(GASAN_FOREIGN_DRIVER, 1100, 50);
  add(GASAN_FOREIGN_IMPORTED, 1150, 1);
  add(GASAN_FOREIGN_IMPORTED, 1151, 20);
  make();
  ASSERT(has_bounds(1000, 1000, 100) && has_bounds(1099, 1000, 100));
  ASSERT(has_bounds(1100, 1000, 150));
  ASSERT(has_bounds(1101, 1100, 50) && has_bounds(1149, 1100, 50));
  ASSERT(has_bounds(1150, 1100, 51));
  ASSERT(has_bounds(1151, 1150, 21));
  ASSERT(has_bounds(1152, 1151, 20) && has_bounds(1171, 1151, 20) && has_bounds(1172, 0, UINT64_MAX));
  forget();
  PASS();
}

TEST registered_ranges_that_touch_are_one(void) {
  add(GASAN_FOREIGN_REGISTERED, 4096, 4096);
  add(GASAN_FOREIGN_REGISTERED, 8192, 4096);
  add(GASAN_FOREIGN_MAPPED, 12288, 4096);
  add(GASAN_FOREIGN_MAPPED, 16384, 4096);
  make();
  ASSERT(has_bounds(4096, 4096, 8192) && has_bounds(8192, 4096, 8192) && has_bounds(12287, 4096, 8192));
  ASSERT(has_bounds(12288, 4096, 12288));
  ASSERT(has_bounds(12289, 12288, 8192) && has_bounds(16384, 12288, 8192) && has_bounds(20480, 12288, 8192));
  forget();
  PASS();
}

/* Pointers into the neighbours may not access a freed range. */
TEST freed_ranges_have_no_size(void) {
  struct gasan_foreign range;
  add(GASAN_FOREIGN_MANAGED, 1000, 100);
  add(GASAN_FOREIGN_MANAGED, 1100, 100);
  add(GASAN_FOREIGN_MANAGED, 1200, 100);
  ASSERT_EQ(GASAN_FOREIGN_ENDED, gasan_foreign_end((const void *)(uintptr_t)1100, GASAN_FOREIGN_MANAGED,
                                                   (struct gasan_pool_caller){"test", 2, 0}, true, &range));
  make();
  ASSERT(has_bounds(1000, 1000, 100) && has_bounds(1099, 1000, 100));
  ASSERT(has_bounds(1100, 1100, 0) && has_bounds(1199, 1100, 0));
  ASSERT(has_bounds(1200, 1200, 100) && has_bounds(1300, 1200, 100));
  forget();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(a_pointer_to_the_end_is_the_ranges);
  RUN_TEST(where_ranges_touch_a_pointer_is_of_both);
  RUN_TEST(registered_ranges_that_touch_are_one);
  RUN_TEST(freed_ranges_have_no_size);
  GREATEST_MAIN_END();
}
