/* The hash map, against a plain array, with so few buckets that chains are long. */
#include "base/map.h"

#include <stdlib.h>

#include "base/round.h"
#include "greatest.h"

#define KEYS 64u

struct item {
  int value;
  struct gasan_map_entry entry;
};

GASAN_MAP(map, 3);
static struct item items[KEYS][2];

static struct item *find(uint64_t key) {
  return GASAN_MAP_OWNER(gasan_map_find(&map, key), struct item, entry);
}

/* Counts the items of each key in the map; later items come first. */
TEST random_insertions_and_removals(void) {
  unsigned count[KEYS] = {0}, all = 0;
  srand(1);
  for (int step = 0; step < 100000; step++) {
    uint64_t key = (uint64_t)rand() % KEYS, number = key << 12;
    if (rand() % 2 && count[key] < 2) {
      struct item *item = &items[key][count[key]++];
      item->value = (int)count[key];
      gasan_map_insert(&map, &item->entry, number);
      all++;
    } else {
      struct item *item = GASAN_MAP_OWNER(gasan_map_remove(&map, number), struct item, entry);
      ASSERT_EQ(count[key] ? &items[key][count[key] - 1] : NULL, item);
      all -= item != NULL;
      count[key] -= item != NULL;
    }
    struct item *found = find(number);
    ASSERT_EQ(count[key] ? &items[key][count[key] - 1] : NULL, found);
    if (!found)
      continue;
    ASSERT_EQ((int)count[key], found->value);
    struct item *next = GASAN_MAP_OWNER(gasan_map_find_next(&found->entry), struct item, entry);
    ASSERT_EQ(count[key] == 2 ? &items[key][0] : NULL, next);
  }
  for (struct gasan_map_entry *entry = gasan_map_next(&map, NULL); entry; entry = gasan_map_next(&map, entry)) {
    ASSERT(count[entry->key >> 12] > 0);
    count[entry->key >> 12]--;
    all--;
  }
  ASSERT_EQ(0, all);
  ASSERT_EQ(NULL, find(1));
  PASS();
}

TEST rounding(void) {
  ASSERT_EQ(0, gasan_round_up(0, 512));
  ASSERT_EQ(512, gasan_round_up(1, 512));
  ASSERT_EQ(512, gasan_round_up(512, 512));
  ASSERT_EQ(1024, gasan_round_up(513, 512));
  ASSERT_EQ(7, gasan_round_up(7, 1));
  ASSERT_EQ(0, gasan_round_up(UINT64_MAX, 4096));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(random_insertions_and_removals);
  RUN_TEST(rounding);
  GREATEST_MAIN_END();
}
