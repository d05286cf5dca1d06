#include "greatest.h"
#include "handles/handle_table.h"

#include <pthread.h>
#include <stdlib.h>

static const uint32_t all_id_bits[] = {1, 2, 8, 16, 24, 32};

TEST codec_round_trip(const uint32_t *id_bits_pointer) {
  uint32_t id_bits = *id_bits_pointer;
  uint64_t mask = gasan_handle_offset_mask(id_bits);
  uint64_t max_id = gasan_handle_max_id(id_bits);
  ASSERT_EQ((1ull << id_bits) - 1, max_id);
  ASSERT_EQ(UINT64_MAX, mask + (max_id << (64 - id_bits)));
  const uint64_t ids[] = {0, 1, max_id / 2, max_id};
  const uint64_t offsets[] = {0, 1, 4096, mask - 1, mask};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++) {
      uint64_t handle = gasan_handle_make(id_bits, ids[i], offsets[j]);
      ASSERT_EQ(ids[i], gasan_handle_id(id_bits, handle));
      ASSERT_EQ(offsets[j], gasan_handle_offset(id_bits, handle));
      ASSERT_EQ(0x100000 + offsets[j], gasan_handle_address(id_bits, 0x100000, handle));
    }
  PASS();
}

/* Arithmetic that stays in the object, its end included, never changes the id; the same step on the address agrees. */
TEST arithmetic_inside(const uint32_t *id_bits_pointer) {
  uint32_t id_bits = *id_bits_pointer;
  uint64_t size = gasan_handle_max_size(id_bits);
  uint64_t id = gasan_handle_max_id(id_bits);
  uint64_t start = gasan_handle_make(id_bits, id, 0);
  const uint64_t steps[] = {0, 1, size / 3, size - 1, size};
  for (int i = 0; i < 5; i++) {
    uint64_t handle = start + steps[i];
    ASSERT_EQ(id, gasan_handle_id(id_bits, handle));
    ASSERT_EQ(0x7000 + steps[i], gasan_handle_address(id_bits, 0x7000, handle));
    ASSERT_EQ(steps[i], handle - start); /* differences of pointers */
    ASSERT_EQ(start, handle - steps[i]);
  }
  PASS();
}

TEST arithmetic_leaves(void) {
  uint32_t id_bits = 16;
  uint64_t start = gasan_handle_make(id_bits, 7, 0);
  uint64_t before = start - 4;
  ASSERT_EQ(6, gasan_handle_id(id_bits, before));
  ASSERT_EQ(gasan_handle_offset_mask(id_bits) - 3, gasan_handle_offset(id_bits, before));
  ASSERT_EQ(start, before + 4); /* the opposite step returns to it */
  uint64_t beyond = start + gasan_handle_max_size(id_bits) + 1;
  ASSERT_EQ(8, gasan_handle_id(id_bits, beyond));
  /* A step past a small object keeps its id: base + offset is an address in its redzone. */
  ASSERT_EQ(7, gasan_handle_id(id_bits, start + 4096));
  PASS();
}

TEST plain_addresses_are_not_handles(void) {
  struct gasan_handles *handles;
  uint64_t address;
  ASSERT(gasan_ok(gasan_handles_create(GASAN_HANDLE_DEFAULT_ID_BITS, &handles)));
  const uint64_t plain[] = {0, 1, 0x7f1234567890, 0xffffffffffff};
  for (int i = 0; i < 4; i++) {
    ASSERT_EQ(0, gasan_handle_id(GASAN_HANDLE_DEFAULT_ID_BITS, plain[i]));
    ASSERT(gasan_ok(gasan_handles_translate(handles, plain[i], &address)));
    ASSERT_EQ(plain[i], address);
    struct gasan_handle_object object;
    ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_lookup(handles, plain[i], &object).code);
    ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_free(handles, plain[i], NULL).code);
  }
  gasan_handles_destroy(handles);
  PASS();
}

TEST create_checks_id_bits(void) {
  struct gasan_handles *handles;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_create(0, &handles).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_create(33, &handles).code);
  ASSERT(gasan_ok(gasan_handles_create(32, &handles)));
  ASSERT_EQ(32, gasan_handles_id_bits(handles));
  gasan_handles_destroy(handles);
  gasan_handles_destroy(NULL);
  PASS();
}

TEST sizes(void) {
  struct gasan_handles *handles;
  uint64_t handle = 0;
  ASSERT(gasan_ok(gasan_handles_create(16, &handles)));
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_allocate(handles, 0x1000, 0, &handle).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_allocate(handles, 0x1000, 1ull << 48, &handle).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_allocate(handles, 0x1000, UINT64_MAX, &handle).code);
  ASSERT_EQ(0, handle);
  ASSERT_EQ(0, gasan_handles_count(handles));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x1000, (1ull << 48) - 1, &handle)));
  gasan_handles_destroy(handles);
  PASS();
}

TEST lookup_and_free(void) {
  struct gasan_handles *handles;
  struct gasan_handle_object object;
  uint64_t handle, address;
  ASSERT(gasan_ok(gasan_handles_create(16, &handles)));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x4000, 100, &handle)));
  ASSERT(gasan_ok(gasan_handles_lookup(handles, handle + 40, &object)));
  ASSERT_EQ(0x4000, object.address);
  ASSERT_EQ(100, object.size);
  ASSERT(gasan_ok(gasan_handles_translate(handles, handle + 104, &address)));
  ASSERT_EQ(0x4068, address); /* outside the object: translated all the same */
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_translate(handles, handle - 1 + (2ull << 48), &address).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_handles_free(handles, handle + 4, NULL).code);
  ASSERT_EQ(1, gasan_handles_count(handles));
  ASSERT(gasan_ok(gasan_handles_free(handles, handle, &object)));
  ASSERT_EQ(100, object.size);
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_free(handles, handle, NULL).code);
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_lookup(handles, handle, &object).code);
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_translate(handles, handle, &address).code);
  gasan_handles_destroy(handles);
  PASS();
}

TEST exhaustion_and_reuse(void) {
  enum { OBJECTS = 255 };
  struct gasan_handles *handles;
  uint64_t all[OBJECTS], more = 0;
  ASSERT(gasan_ok(gasan_handles_create(8, &handles)));
  for (uint64_t i = 0; i < OBJECTS; i++) {
    ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x1000 * i, 16, &all[i])));
    ASSERT_EQ(i + 1, gasan_handle_id(8, all[i]));
  }
  ASSERT_EQ(GASAN_ERR_OUT_OF_ADDRESSES, gasan_handles_allocate(handles, 1, 1, &more).code);
  ASSERT_EQ(0, more);
  /* The id that was freed first is reused first; a handle is stale until then. */
  ASSERT(gasan_ok(gasan_handles_free(handles, all[200], NULL)));
  ASSERT(gasan_ok(gasan_handles_free(handles, all[3], NULL)));
  struct gasan_handle_object object;
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_lookup(handles, all[3], &object).code);
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0xabc000, 16, &more)));
  ASSERT_EQ(all[200], more);
  ASSERT_EQ(GASAN_ERR_NOT_FOUND, gasan_handles_lookup(handles, all[3], &object).code);
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0xdef000, 16, &more)));
  ASSERT_EQ(all[3], more);
  ASSERT_EQ(GASAN_ERR_OUT_OF_ADDRESSES, gasan_handles_allocate(handles, 1, 1, &more).code);
  ASSERT_EQ(OBJECTS, gasan_handles_count(handles));
  gasan_handles_destroy(handles);
  PASS();
}

TEST fresh_ids_go_first(void) {
  struct gasan_handles *handles;
  uint64_t first, second;
  ASSERT(gasan_ok(gasan_handles_create(8, &handles)));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x1000, 16, &first)));
  for (int i = 0; i < 254; i++) {
    ASSERT(gasan_ok(gasan_handles_free(handles, first, NULL)));
    ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x1000, 16, &second)));
    ASSERT_EQ(gasan_handle_id(8, first) + 1, gasan_handle_id(8, second));
    first = second;
  }
  gasan_handles_destroy(handles);
  PASS();
}

TEST relocation(void) {
  struct gasan_handles *handles;
  uint64_t inside, at_end, outside, address;
  ASSERT(gasan_ok(gasan_handles_create(16, &handles)));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x10000, 64, &inside)));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x1ff00, 64, &at_end)));
  ASSERT(gasan_ok(gasan_handles_allocate(handles, 0x20000, 64, &outside)));
  ASSERT_EQ(2, gasan_handles_relocate(handles, 0x10000, 0x10000, 0x4000)); /* to lower addresses */
  ASSERT(gasan_ok(gasan_handles_translate(handles, inside + 8, &address)));
  ASSERT_EQ(0x4008, address);
  ASSERT(gasan_ok(gasan_handles_translate(handles, at_end, &address)));
  ASSERT_EQ(0x13f00, address);
  ASSERT(gasan_ok(gasan_handles_translate(handles, outside, &address)));
  ASSERT_EQ(0x20000, address);
  ASSERT_EQ(0, gasan_handles_relocate(handles, 0x900000, 0x1000, 0));
  gasan_handles_destroy(handles);
  PASS();
}

struct churn {
  struct gasan_handles *handles;
  uint64_t thread;
  bool failed;
};

static void *churn(void *context) {
  struct churn *work = context;
  for (uint64_t round = 0; round < 20000 && !work->failed; round++) {
    uint64_t handle, address, expected = (work->thread << 40) + (round << 8);
    struct gasan_handle_object object;
    work->failed = !gasan_ok(gasan_handles_allocate(work->handles, expected, 256, &handle)) ||
                   !gasan_ok(gasan_handles_translate(work->handles, handle + 17, &address)) ||
                   address != expected + 17 || !gasan_ok(gasan_handles_free(work->handles, handle, &object)) ||
                   object.address != expected;
  }
  return NULL;
}

TEST many_threads(void) {
  struct churn work[4] = {{0}};
  pthread_t threads[4];
  struct gasan_handles *handles;
  ASSERT(gasan_ok(gasan_handles_create(12, &handles)));
  for (uint64_t i = 0; i < 4; i++) {
    work[i] = (struct churn){handles, i + 1, false};
    pthread_create(&threads[i], NULL, churn, &work[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    ASSERT_FALSE(work[i].failed);
  }
  ASSERT_EQ(0, gasan_handles_count(handles));
  gasan_handles_destroy(handles);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (unsigned i = 0; i < sizeof all_id_bits / sizeof *all_id_bits; i++) {
    RUN_TESTp(codec_round_trip, &all_id_bits[i]);
    RUN_TESTp(arithmetic_inside, &all_id_bits[i]);
  }
  RUN_TEST(arithmetic_leaves);
  RUN_TEST(plain_addresses_are_not_handles);
  RUN_TEST(create_checks_id_bits);
  RUN_TEST(sizes);
  RUN_TEST(lookup_and_free);
  RUN_TEST(exhaustion_and_reuse);
  RUN_TEST(fresh_ids_go_first);
  RUN_TEST(relocation);
  RUN_TEST(many_threads);
  GREATEST_MAIN_END();
}
