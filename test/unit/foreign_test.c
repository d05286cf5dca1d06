/* The registry of foreign ranges, checked against a list that is searched from end to end. */
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/memory/foreign.h"
#include "greatest.h"

#define SPACE 5000u
#define MOST 2000u
#define ANY_KIND ~0u

static struct gasan_foreign oracle[MOST];
static uint64_t order[MOST]; /* when it was freed */
static size_t oracle_count;
static uint64_t held_bytes, clock_now;

static const void *pointer(uint64_t address) {
  return (const void *)(uintptr_t)address;
}

static struct gasan_foreign *oracle_find(uint64_t address) {
  for (size_t i = 0; i < oracle_count; i++)
    if (address - oracle[i].chunk.base < oracle[i].chunk.size)
      return &oracle[i];
  return NULL;
}

static void oracle_remove(struct gasan_foreign *range) {
  if (range->quarantined)
    held_bytes -= range->chunk.size;
  size_t i = (size_t)(range - oracle);
  oracle[i] = oracle[--oracle_count];
  order[i] = order[oracle_count];
}

static void add(uint64_t base, uint64_t size, enum gasan_foreign_kind kind, uint32_t stack) {
  for (uint64_t address = base; address < base + size; address++)
    if (oracle_find(address))
      oracle_remove(oracle_find(address));
  oracle[oracle_count++] = (struct gasan_foreign){
      .kind = kind, .chunk = {.base = base, .size = size, .state = GASAN_CHUNK_LIVE, .allocation_stack = stack}};
  gasan_foreign_add(kind, pointer(base), size, (struct gasan_pool_caller){"add", stack, 0});
}

static enum gasan_foreign_end oracle_end(uint64_t address, uint32_t kinds, bool hold) {
  struct gasan_foreign *range = oracle_find(address);
  bool begins = range && range->chunk.base == address;
  if (!range || (range->chunk.state == GASAN_CHUNK_FREED && !begins))
    return GASAN_FOREIGN_NOT_KNOWN;
  if (range->chunk.state == GASAN_CHUNK_FREED)
    return GASAN_FOREIGN_FREED;
  if (!begins)
    return GASAN_FOREIGN_INTERIOR;
  if (!(range->kind & kinds))
    return GASAN_FOREIGN_OTHER_KIND;
  range->chunk.state = GASAN_CHUNK_FREED;
  range->quarantined = hold;
  held_bytes += hold ? range->chunk.size : 0;
  order[range - oracle] = ++clock_now;
  return GASAN_FOREIGN_ENDED;
}

static struct gasan_foreign *oldest_held(void) {
  struct gasan_foreign *oldest = NULL;
  for (size_t i = 0; i < oracle_count; i++)
    if (oracle[i].quarantined && (!oldest || order[i] < order[oldest - oracle]))
      oldest = &oracle[i];
  return oldest;
}

static bool same(uint64_t address) {
  struct gasan_foreign range;
  const struct gasan_foreign *expected = oracle_find(address);
  if (gasan_foreign_find(pointer(address), &range) != (expected != NULL))
    return false;
  return !expected || (range.chunk.base == expected->chunk.base && range.chunk.size == expected->chunk.size &&
                       range.chunk.state == expected->chunk.state && range.kind == expected->kind &&
                       range.quarantined == expected->quarantined &&
                       range.chunk.allocation_stack == expected->chunk.allocation_stack);
}

struct walk {
  uint64_t last, count;
  bool sorted;
};

static void visit(const struct gasan_foreign *range, void *context) {
  struct walk *walk = context;
  walk->sorted = walk->sorted && range->chunk.base >= walk->last && range->chunk.state == GASAN_CHUNK_LIVE;
  walk->last = range->chunk.base + range->chunk.size;
  walk->count++;
}

static uint64_t live_count(void) {
  uint64_t live = 0;
  for (size_t i = 0; i < oracle_count; i++)
    live += oracle[i].chunk.state == GASAN_CHUNK_LIVE;
  return live;
}

TEST random_operations_match_the_oracle(void) {
  srand(1);
  for (uint32_t step = 1; step <= 60000; step++) {
    uint64_t address = 1 + (uint64_t)rand() % SPACE;
    const struct gasan_foreign *known = oracle_find(address);
    struct gasan_foreign range;
    switch (rand() % 8) {
    case 0:
    case 1:
      if (oracle_count < MOST - 1)
        add(address, 1 + (uint64_t)rand() % 20, 1u << rand() % 6, step);
      break;
    case 2:
    case 3:
    case 4: {
      bool hold = rand() % 2;
      uint32_t kinds = rand() % 4 ? ANY_KIND : GASAN_FOREIGN_PINNED;
      if (known && rand() % 4)
        address = known->chunk.base;
      enum gasan_foreign_end expected = oracle_end(address, kinds, hold);
      ASSERT_EQ(expected,
                gasan_foreign_end(pointer(address), kinds, (struct gasan_pool_caller){"end", step, 0}, hold, &range));
      break;
    }
    case 5:
      if (known && known->chunk.state == GASAN_CHUNK_FREED) {
        struct gasan_foreign *revived = oracle_find(address);
        held_bytes -= revived->quarantined ? revived->chunk.size : 0;
        revived->quarantined = false;
        revived->chunk.state = GASAN_CHUNK_LIVE;
        gasan_foreign_revive(pointer(address));
      }
      break;
    case 6: {
      uint64_t limit = (uint64_t)rand() % 2000;
      while (held_bytes > limit) {
        struct gasan_foreign *oldest = oldest_held();
        ASSERT(gasan_foreign_excess(limit, &range));
        ASSERT_EQ(oldest->chunk.base, range.chunk.base);
        oldest->quarantined = false;
        held_bytes -= oldest->chunk.size;
      }
      ASSERT_FALSE(gasan_foreign_excess(limit, &range));
      break;
    }
    case 7:
      if (known)
        oracle_remove(oracle_find(address));
      gasan_foreign_forget_at(pointer(address));
      break;
    }
    for (int i = 0; i < 8; i++)
      ASSERT(same(1 + (uint64_t)rand() % SPACE));
    if (step % 500 == 0) {
      struct walk walk = {.sorted = true};
      gasan_foreign_each_live(visit, &walk);
      ASSERT(walk.sorted);
      ASSERT_EQ(live_count(), walk.count);
    }
  }
  gasan_foreign_forget(ANY_KIND);
  PASS();
}

TEST epoch_follows_the_live_ranges(void) {
  struct gasan_foreign range;
  struct gasan_pool_caller caller = {"test", 1, 0};
  uint64_t before = gasan_foreign_epoch();
  gasan_foreign_add(GASAN_FOREIGN_PINNED, pointer(4096), 100, caller);
  uint64_t added = gasan_foreign_epoch();
  ASSERT(added != before);
  ASSERT(gasan_foreign_find(pointer(4195), &range));
  ASSERT_FALSE(gasan_foreign_find(pointer(4196), &range));
  ASSERT_EQ(added, gasan_foreign_epoch());
  ASSERT_EQ(GASAN_FOREIGN_ENDED, gasan_foreign_end(pointer(4096), ANY_KIND, caller, true, &range));
  ASSERT(added != gasan_foreign_epoch());
  gasan_foreign_forget(ANY_KIND);
  ASSERT_FALSE(gasan_foreign_find(pointer(4096), &range));
  PASS();
}

TEST old_records_make_room(void) {
  struct gasan_foreign range;
  struct gasan_pool_caller caller = {"test", 1, 0};
  for (uint64_t i = 1; i <= 10000; i++) {
    gasan_foreign_add(GASAN_FOREIGN_MANAGED, pointer(i * 64), 64, caller);
    ASSERT_EQ(GASAN_FOREIGN_ENDED, gasan_foreign_end(pointer(i * 64), ANY_KIND, caller, false, &range));
  }
  ASSERT_FALSE(gasan_foreign_find(pointer(64), &range));
  ASSERT(gasan_foreign_find(pointer(10000 * 64), &range));
  ASSERT_EQ(GASAN_CHUNK_FREED, range.chunk.state);
  gasan_foreign_forget(ANY_KIND);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(random_operations_match_the_oracle);
  RUN_TEST(epoch_follows_the_live_ranges);
  RUN_TEST(old_records_make_room);
  GREATEST_MAIN_END();
}
