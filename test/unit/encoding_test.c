/* shadow/encoding.h against an oracle that keeps one flag a byte. */
#include "greatest.h"
#include "shadow/encoding.h"

/* Returns whether [offset, offset + width) of a block may be accessed, if its first `accessible` bytes may. */
static int oracle_allows(const uint8_t *may_touch, uint32_t offset, uint32_t width) {
  for (uint32_t byte = offset; byte < offset + width; byte++)
    if (!may_touch[byte])
      return 0;
  return 1;
}

TEST matches_the_byte_oracle(const uint32_t *scale_pointer) {
  uint32_t scale = *scale_pointer;
  uint32_t block = 1u << scale;
  for (uint32_t accessible = 0; accessible <= block; accessible++) {
    if (scale == GASAN_SCALE_256 && accessible == 1)
      continue; /* no such block: see scale_256_cannot_say_one */
    uint8_t may_touch[256];
    for (uint32_t byte = 0; byte < block; byte++)
      may_touch[byte] = byte < accessible;
    uint8_t value = gasan_shadow_encode(scale, accessible);
    ASSERT_EQ_FMT(accessible, gasan_shadow_decode(scale, value), "%u");
    for (uint32_t offset = 0; offset < block; offset++)
      for (uint32_t width = 1; offset + width <= block; width++) {
        uint64_t address = 0x7f1200000000ull + 5 * (uint64_t)block + offset;
        ASSERT_EQ(oracle_allows(may_touch, offset, width), !!gasan_shadow_allows(scale, value, address, width));
      }
  }
  PASS();
}

TEST poison_allows_nothing(const uint32_t *scale_pointer) {
  uint32_t scale = *scale_pointer;
  uint8_t poison = gasan_shadow_poison_value(scale);
  ASSERT_EQ(poison, gasan_shadow_encode(scale, 0));
  ASSERT_EQ(0, gasan_shadow_decode(scale, poison));
  for (uint32_t offset = 0; offset < 1u << scale; offset++)
    ASSERT_FALSE(gasan_shadow_allows(scale, poison, offset, 1));
  PASS();
}

/* Every value that a shadow byte can have has a meaning, and different meanings have different values. */
TEST values_are_distinct(const uint32_t *scale_pointer) {
  uint32_t scale = *scale_pointer;
  int seen[256] = {0};
  for (uint32_t accessible = 0; accessible <= 1u << scale; accessible++) {
    if (scale == GASAN_SCALE_256 && accessible == 1)
      continue;
    ASSERT_EQ(0, seen[gasan_shadow_encode(scale, accessible)]++);
  }
  PASS();
}

TEST scale_256_cannot_say_one(void) {
  ASSERT_EQ(0, gasan_shadow_decode(GASAN_SCALE_256, gasan_shadow_encode(GASAN_SCALE_256, 1)));
  ASSERT_EQ(2, gasan_shadow_decode(GASAN_SCALE_256, gasan_shadow_encode(GASAN_SCALE_256, 2)));
  ASSERT_EQ(256, gasan_shadow_decode(GASAN_SCALE_256, gasan_shadow_encode(GASAN_SCALE_256, 256)));
  PASS();
}

TEST asan_values(void) {
  ASSERT_EQ(0, gasan_shadow_encode(GASAN_SCALE_8, 8));
  ASSERT_EQ(5, gasan_shadow_encode(GASAN_SCALE_8, 5));
  for (uint32_t value = 0x80; value <= 0xff; value++)
    ASSERT_EQ(0, gasan_shadow_decode(GASAN_SCALE_8, (uint8_t)value));
  PASS();
}

TEST offset_wraps(void) {
  uint64_t mask = (1ull << 20) - 1;
  ASSERT_EQ(0, gasan_shadow_offset(GASAN_SCALE_128, mask, (mask + 1) << 7));
  ASSERT_EQ(mask, gasan_shadow_offset(GASAN_SCALE_128, mask, ((mask + 1) << 7) - 1));
  ASSERT_EQ(3, gasan_shadow_offset(GASAN_SCALE_128, mask, (5 * (mask + 1) + 3) << 7));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  static const uint32_t scales[] = {GASAN_SCALE_8, GASAN_SCALE_128, GASAN_SCALE_256};
  GREATEST_MAIN_BEGIN();
  for (int index = 0; index < 3; index++) {
    RUN_TESTp(matches_the_byte_oracle, &scales[index]);
    RUN_TESTp(poison_allows_nothing, &scales[index]);
    RUN_TESTp(values_are_distinct, &scales[index]);
  }
  RUN_TEST(scale_256_cannot_say_one);
  RUN_TEST(asan_values);
  RUN_TEST(offset_wraps);
  GREATEST_MAIN_END();
}
