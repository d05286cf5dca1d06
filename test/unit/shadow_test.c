#include "greatest.h"
#include "shadow/shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_device.h"

#define PAGE 4096u
#define MEMORY (64ull << 20)
#define WINDOW (16ull << 20)
/* Not a multiple of the window's size, so that its image wraps. */
#define BASE (0x7f0000000000ull + WINDOW / 8 * 3)

static const uint32_t all_scales[] = {GASAN_SCALE_8, GASAN_SCALE_128, GASAN_SCALE_256};

static uint64_t random_state;
static uint64_t random_below(uint64_t limit) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (random_state >> 33) % limit;
}

static uint8_t on_device(struct gasan_device *device, struct gasan_shadow *shadow, uint64_t address) {
  uint64_t offset = gasan_shadow_offset(gasan_shadow_scale(shadow), gasan_shadow_mask(shadow), address);
  uint8_t value = 0;
  struct gasan_status status = device->kind->read(device, &value, gasan_shadow_base(shadow) + offset, 1);
  return gasan_ok(status) ? value : 0x7e;
}

/* One flag a byte of the window. */
struct oracle {
  uint32_t scale;
  uint8_t may_touch[WINDOW];
};

static uint8_t oracle_value(const struct oracle *oracle, uint64_t block) {
  const uint8_t *bytes = oracle->may_touch + (block << oracle->scale);
  uint32_t accessible = 0;
  while (accessible < 1u << oracle->scale && bytes[accessible])
    accessible++;
  return gasan_shadow_encode(oracle->scale, accessible);
}

/* Compares every block of the window, on the device and in the mirror. Returns the first wrong block, or -1. */
static long compare(struct gasan_device *device, struct gasan_shadow *shadow, const struct oracle *oracle) {
  uint64_t blocks = WINDOW >> oracle->scale;
  uint8_t *bytes = malloc(blocks);
  long wrong = -1;
  if (!gasan_ok(device->kind->read(device, bytes, gasan_shadow_base(shadow), blocks)))
    wrong = 0;
  for (uint64_t block = 0; block < blocks && wrong < 0; block++) {
    uint64_t address = BASE + (block << oracle->scale);
    uint8_t expected = oracle_value(oracle, block);
    uint8_t device_value = bytes[gasan_shadow_offset(oracle->scale, gasan_shadow_mask(shadow), address)];
    if (expected != device_value || expected != gasan_shadow_get(shadow, address + random_below(1u << oracle->scale)))
      wrong = (long)block;
  }
  free(bytes);
  return wrong;
}

static void oracle_poison(struct oracle *oracle, uint64_t offset, uint64_t size) {
  uint64_t block = 1ull << oracle->scale;
  memset(oracle->may_touch + offset, 0, (size + block - 1) / block * block);
}

TEST random_ranges_match_the_oracle(const uint32_t *scale_pointer) {
  uint32_t scale = *scale_pointer;
  uint64_t block = 1ull << scale;
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  struct oracle *oracle = calloc(1, sizeof *oracle);
  oracle->scale = scale;
  random_state = 42 + scale;
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, scale, &shadow)));
  ASSERT_EQ((WINDOW >> scale) - 1, gasan_shadow_mask(shadow));
  ASSERT_EQ(-1, compare(device, shadow, oracle)); /* readable and poisoned from the start */
  ASSERT_EQ(0, gasan_shadow_memory(shadow));
  for (int round = 0; round < 2000; round++) {
    uint64_t offset = random_below(WINDOW / block) * block;
    uint64_t limit = random_below(20) ? 3000 : WINDOW / 4;
    uint64_t size = random_below(WINDOW - offset < limit ? WINDOW - offset : limit) + 1;
    if (random_below(3)) {
      if (scale == GASAN_SCALE_256 && size % 256 == 1)
        size--;
      ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, BASE + offset, size)));
      oracle_poison(oracle, offset, size);
      memset(oracle->may_touch + offset, 1, size);
    } else {
      gasan_shadow_poison(shadow, BASE + offset, size);
      oracle_poison(oracle, offset, size);
    }
    if (random_below(100) == 0) {
      ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
      ASSERT_EQ_FMT(-1l, compare(device, shadow, oracle), "%ld");
    }
  }
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  free(oracle);
  PASS();
}

TEST create_checks_arguments(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow = NULL;
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_shadow_create(device, BASE, WINDOW, 4, &shadow).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_shadow_create(device, BASE, WINDOW + 128, 7, &shadow).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_shadow_create(device, BASE, 64, 7, &shadow).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_shadow_create(device, BASE, 0, 7, &shadow).code);
  ASSERT_EQ(GASAN_ERR_INVALID, gasan_shadow_create(device, BASE + 1, WINDOW, 7, &shadow).code);
  ASSERT_EQ(NULL, shadow);
  gasan_shadow_destroy(NULL);
  fake_device_delete(device);
  PASS();
}

/* Smaller than a page of the device: the mask still says the shadow's own size. */
TEST tiny_window(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  ASSERT(gasan_ok(gasan_shadow_create(device, 0x10080, 1024, 7, &shadow)));
  ASSERT_EQ(7, gasan_shadow_mask(shadow));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, 0x10080, 1024)));
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  for (uint64_t address = 0x10080; address < 0x10480; address += 128)
    ASSERT_EQ(128, on_device(device, shadow, address));
  gasan_shadow_poison(shadow, 0x10080 + 7 * 128, 1);
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(0, on_device(device, shadow, 0x10080 + 7 * 128));
  ASSERT_EQ(128, on_device(device, shadow, 0x10080 + 6 * 128));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

TEST range_across_the_wrap(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, 7, &shadow)));
  uint64_t seam = (BASE / WINDOW + 1) * WINDOW; /* its shadow byte is number 0 */
  ASSERT_EQ(0, gasan_shadow_offset(7, gasan_shadow_mask(shadow), seam));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, seam - 256, 512 + 5)));
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(0, on_device(device, shadow, seam - 384));
  ASSERT_EQ(128, on_device(device, shadow, seam - 256));
  ASSERT_EQ(128, on_device(device, shadow, seam - 128));
  ASSERT_EQ(128, on_device(device, shadow, seam));
  ASSERT_EQ(128, on_device(device, shadow, seam + 128));
  ASSERT_EQ(5, on_device(device, shadow, seam + 256));
  ASSERT_EQ(0, on_device(device, shadow, seam + 384));
  gasan_shadow_poison(shadow, seam - 256, 512 + 5);
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  for (uint64_t address = seam - 512; address < seam + 512; address += 128)
    ASSERT_EQ(0, on_device(device, shadow, address));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

TEST outside_the_window_is_poison(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, 3, &shadow)));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, BASE, WINDOW)));
  ASSERT_EQ(0, gasan_shadow_get(shadow, BASE + WINDOW - 1));
  ASSERT_EQ(0xfa, gasan_shadow_get(shadow, BASE + WINDOW));
  ASSERT_EQ(0xfa, gasan_shadow_get(shadow, BASE - 1));
  ASSERT_EQ(0xfa, gasan_shadow_get(shadow, 0));
  ASSERT_EQ(0xfa, gasan_shadow_get(shadow, UINT64_MAX));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

/* Every device call of any kind. */
static uint64_t all_calls(struct gasan_device *device) {
  uint64_t calls = 0;
  for (int operation = 0; operation < FAKE_OPERATIONS; operation++)
    calls += fake_device_calls(device, operation);
  return calls;
}

TEST flush_writes_little(void) {
  struct gasan_device *device = fake_device_new(1u << 20, MEMORY);
  struct gasan_shadow *shadow;
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, 1ull << 32, 7, &shadow)));
  for (uint64_t chunk = 0; chunk < 1000; chunk++)
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, BASE + chunk * 512, 200)));
  uint64_t writes = fake_device_calls(device, FAKE_WRITE);
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(writes + 1, fake_device_calls(device, FAKE_WRITE));
  uint64_t calls = all_calls(device);
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));              /* clean: nothing */
  gasan_shadow_poison(shadow, BASE + (3ull << 30), 1 << 20); /* poison in a part without memory: nothing */
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(calls, all_calls(device));
  /* Far apart in one unit: one write each, not one over everything between. */
  gasan_shadow_poison(shadow, BASE, 1);
  gasan_shadow_poison(shadow, BASE + (9ull << 20), 1);
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(writes + 3, fake_device_calls(device, FAKE_WRITE));
  ASSERT_EQ(0, on_device(device, shadow, BASE));
  ASSERT_EQ(128, on_device(device, shadow, BASE + 512));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

/* Of a window of 4 GiB: one of 2048 equal parts, but a page at least. */
static uint64_t unit_of(uint32_t scale) {
  uint64_t part = (1ull << 32 >> scale) / 2048;
  return part < PAGE ? PAGE : part;
}

TEST memory_comes_in_units(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  uint64_t unit = unit_of(7);
  uint64_t part = unit << 7; /* of the window: the bytes that a unit's shadow describes */
  uint64_t base = 1ull << 44;
  ASSERT(gasan_ok(gasan_shadow_create(device, base, 1ull << 32, 7, &shadow)));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base, part)));
  ASSERT_EQ(unit, gasan_shadow_memory(shadow));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base + 5 * part - 128, 129)));
  ASSERT_EQ(3 * unit, gasan_shadow_memory(shadow));
  ASSERT_EQ(3 * unit, fake_device_mapped(device));
  /* A run of dirty bytes must not extend into units that are poison only: the fake device would end the test. */
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(1, on_device(device, shadow, base + 5 * part));
  ASSERT_EQ(0, on_device(device, shadow, base + part));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

/* A part without chunks is poison again, except for the last one, which keeps its memory. Released memory serves other
 * parts. */
TEST memory_goes_back(const uint32_t *scale_pointer) {
  uint32_t scale = *scale_pointer;
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  uint64_t unit = unit_of(scale), part = unit << scale, base = 1ull << 44;
  uint8_t poison = gasan_shadow_poison_value(scale);
  ASSERT(gasan_ok(gasan_shadow_create(device, base, 1ull << 32, scale, &shadow)));
  for (int i = 0; i < 4; i++) {
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base + i * part + 4096, 1000)));
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base + i * part + 8192, part - 7168)));
  }
  ASSERT_EQ(5 * unit, gasan_shadow_memory(shadow));
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  for (int i = 0; i < 4; i++) {
    gasan_shadow_poison(shadow, base + i * part + 8192, part - 7168);
    gasan_shadow_leave(shadow, base + i * part + 8192, part - 7168);
    ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  }
  uint64_t created = fake_device_calls(device, FAKE_MEMORY_CREATE);
  for (int i = 0; i < 3; i++) {
    gasan_shadow_poison(shadow, base + i * part + 4096, 1000);
    gasan_shadow_leave(shadow, base + i * part + 4096, 1000);
    ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
    ASSERT_EQ(5 * unit, gasan_shadow_memory(shadow));
    ASSERT_EQ(gasan_shadow_memory(shadow), fake_device_mapped(device));
    for (int j = 0; j < 5; j++) {
      ASSERT_EQ(j <= i || j == 4 ? poison : gasan_shadow_encode(scale, 1u << scale),
                on_device(device, shadow, base + j * part + 4096));
      ASSERT_EQ(on_device(device, shadow, base + j * part + 4096), gasan_shadow_get(shadow, base + j * part + 4096));
      ASSERT_EQ(poison, on_device(device, shadow, base + j * part + 8192));
      bool mapped = fake_device_has_memory(device, gasan_shadow_base(shadow) + (uint64_t)j * unit, unit);
      ASSERT_EQ(j >= i && j < 4, mapped); /* in use, or idle */
    }
  }
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base + 7 * part, 300))); /* of the existing ones */
  ASSERT_EQ(created, fake_device_calls(device, FAKE_MEMORY_CREATE));
  ASSERT_EQ(5 * unit, gasan_shadow_memory(shadow));
  ASSERT_EQ(3 * unit, gasan_shadow_trim(shadow));
  ASSERT_EQ(0, gasan_shadow_trim(shadow));
  ASSERT_EQ(2 * unit, gasan_shadow_memory(shadow)); /* the fourth part's 1000 bytes, and the 300 */
  ASSERT_EQ(gasan_shadow_memory(shadow), fake_device_mapped(device));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base + 4096, 300)));
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(gasan_shadow_encode(scale, 1u << scale), on_device(device, shadow, base + 4096));
  ASSERT_EQ(gasan_shadow_encode(scale, 1u << scale), on_device(device, shadow, base + 7 * part));
  ASSERT_EQ(poison, on_device(device, shadow, base + 4096 + 512));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

/* A change that no flush has seen costs no mapping: the memory is reserved, and kept for the next change. */
TEST unseen_parts_cost_no_mapping(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  uint64_t part = unit_of(7) << 7, base = 1ull << 44;
  ASSERT(gasan_ok(gasan_shadow_create(device, base, 1ull << 32, 7, &shadow)));
  uint64_t calls = all_calls(device);
  for (uint64_t i = 0; i < 30; i++) {
    uint64_t chunk = base + 5 * i * part + part / 2;
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, chunk, 3 * part)));
    ASSERT_EQ(128, gasan_shadow_get(shadow, chunk + part));
    gasan_shadow_poison(shadow, chunk, 3 * part);
    gasan_shadow_leave(shadow, chunk, 3 * part);
    ASSERT_EQ(0, gasan_shadow_get(shadow, chunk + part));
  }
  ASSERT_EQ(4, fake_device_calls(device, FAKE_MEMORY_CREATE));
  ASSERT_EQ(calls + 2 * 4, all_calls(device)); /* which counts each as any, too */
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(calls + 2 * 4, all_calls(device));
  /* Units beyond the kept ones are released at once. */
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base, 20 * part)));
  gasan_shadow_poison(shadow, base, 20 * part);
  gasan_shadow_leave(shadow, base, 20 * part);
  ASSERT_EQ(8 * unit_of(7), gasan_shadow_memory(shadow));
  ASSERT_EQ(8 * unit_of(7), gasan_shadow_trim(shadow));
  ASSERT_EQ(0, fake_device_mapped(device));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

TEST create_fails_cleanly(void) {
  for (uint64_t call = 1; call <= 64; call++) {
    struct gasan_device *device = fake_device_new(PAGE, MEMORY);
    struct gasan_shadow *shadow = NULL;
    fake_device_fail(device, FAKE_MAP_FILLED, call, 1);
    ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_shadow_create(device, BASE, 1ull << 32, 7, &shadow).code);
    ASSERT_EQ(NULL, shadow);
    fake_device_fail(device, FAKE_HOST_ALLOC, 1, 1);
    ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_shadow_create(device, BASE, 1ull << 32, 7, &shadow).code);
    fake_device_fail(device, FAKE_RESERVE, 1, 1);
    ASSERT_EQ(GASAN_ERR_OUT_OF_ADDRESSES, gasan_shadow_create(device, BASE, 1ull << 32, 7, &shadow).code);
    fake_device_delete(device);
  }
  PASS();
}

/* Each operation that takes a unit into use fails, with and without its undo: the lack of memory is reported at once,
 * other errors by flush, which tries again. */
TEST taking_a_unit_fails_cleanly(void) {
  static const enum fake_operation forward[] = {FAKE_MEMORY_CREATE, FAKE_UNMAP, FAKE_MEMORY_MAP, FAKE_WRITE};
  for (int which = 0; which < 4; which++)
    for (int back = 0; back < 2; back++) {
      struct gasan_device *device = fake_device_new(PAGE, MEMORY);
      struct gasan_shadow *shadow;
      ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, 3, &shadow)));
      uint64_t address = BASE + WINDOW / 2;
      fake_device_fail(device, forward[which], 1, 1);
      if (back)
        fake_device_fail(device, FAKE_MAP_FILLED, 1, 1);
      if (forward[which] == FAKE_MEMORY_CREATE) {
        ASSERT_EQ(GASAN_ERR_OUT_OF_MEMORY, gasan_shadow_unpoison(shadow, address, 100).code);
        ASSERT_EQ(0xfa, gasan_shadow_get(shadow, address));
        ASSERT_EQ(0, gasan_shadow_memory(shadow));
        ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, address, 100)));
      } else {
        ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, address, 100)));
        ASSERT_FALSE(gasan_ok(gasan_shadow_flush(shadow)));
        bool readable = fake_device_readable(device, gasan_shadow_base(shadow), gasan_shadow_mask(shadow) + 1);
        ASSERT_EQ(!(back && forward[which] == FAKE_MEMORY_MAP), readable);
      }
      ASSERT_EQ(0, gasan_shadow_get(shadow, address));
      ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
      ASSERT(fake_device_readable(device, gasan_shadow_base(shadow), gasan_shadow_mask(shadow) + 1));
      for (uint64_t offset = 0; offset < WINDOW; offset += 1024)
        ASSERT_EQ(offset == WINDOW / 2 ? 0 : 0xfa, on_device(device, shadow, BASE + offset));
      ASSERT_EQ(0, on_device(device, shadow, address));
      ASSERT_EQ(4, on_device(device, shadow, address + 96));
      ASSERT_EQ(0xfa, on_device(device, shadow, address + 104));
      gasan_shadow_destroy(shadow);
      fake_device_delete(device);
    }
  PASS();
}

/* Each operation that releases a unit fails: memory that the device does not release is kept and used; a mapping that
 * fails is repaired by the next flush. */
TEST giving_a_unit_back_fails_cleanly(void) {
  static const enum fake_operation backward[] = {FAKE_UNMAP, FAKE_MAP_FILLED, FAKE_MEMORY_RELEASE};
  uint64_t part = unit_of(7) << 7, base = 1ull << 44;
  for (int which = 0; which < 3; which++) {
    struct gasan_device *device = fake_device_new(PAGE, MEMORY);
    struct gasan_shadow *shadow;
    ASSERT(gasan_ok(gasan_shadow_create(device, base, 1ull << 32, 7, &shadow)));
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base, 12 * part)));
    ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
    gasan_shadow_poison(shadow, base, 12 * part);
    gasan_shadow_leave(shadow, base, 12 * part);
    fake_device_fail(device, backward[which], 1, 1);
    ASSERT_EQ(backward[which] != FAKE_MAP_FILLED, gasan_ok(gasan_shadow_flush(shadow)));
    ASSERT_EQ(gasan_shadow_memory(shadow), fake_device_mapped(device));
    ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
    for (uint64_t i = 0; i < 12; i++)
      ASSERT_EQ(0, on_device(device, shadow, base + i * part));
    fake_device_fail(device, backward[which], 1, 1);
    uint64_t before = gasan_shadow_memory(shadow);
    uint64_t given = gasan_shadow_trim(shadow);
    ASSERT_EQ(before - given, fake_device_mapped(device));
    ASSERT_EQ(before - given, gasan_shadow_trim(shadow));
    ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, base, 12 * part)));
    ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
    ASSERT(fake_device_readable(device, gasan_shadow_base(shadow), gasan_shadow_mask(shadow) + 1));
    for (uint64_t i = 0; i < 13; i++)
      ASSERT_EQ(i < 12 ? 128 : 0, on_device(device, shadow, base + i * part));
    gasan_shadow_destroy(shadow);
    fake_device_delete(device);
  }
  PASS();
}

TEST failed_write_stays_dirty(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, 7, &shadow)));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, BASE, 1 << 20)));
  ASSERT(gasan_ok(gasan_shadow_unpoison(shadow, BASE + (13 << 20), 1 << 20)));
  for (int call = 1; call <= 2; call++) {
    fake_device_fail(device, FAKE_WRITE, (uint64_t)call, 1);
    ASSERT_EQ(GASAN_ERR_DEVICE, gasan_shadow_flush(shadow).code);
  }
  ASSERT(gasan_ok(gasan_shadow_flush(shadow)));
  ASSERT_EQ(128, on_device(device, shadow, BASE));
  ASSERT_EQ(128, on_device(device, shadow, BASE + (1 << 20) - 1));
  ASSERT_EQ(128, on_device(device, shadow, BASE + (13 << 20)));
  ASSERT_EQ(128, on_device(device, shadow, BASE + (14 << 20) - 1));
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

struct work {
  struct gasan_device *device;
  struct gasan_shadow *shadow;
  uint64_t base;
  bool failed;
};

static void *toggle(void *context) {
  struct work *work = context;
  for (int round = 0; round < 3000 && !work->failed; round++) {
    uint64_t address = work->base + (uint64_t)(round % 64) * 1024;
    work->failed |= !gasan_ok(gasan_shadow_unpoison(work->shadow, address, 300));
    work->failed |= !gasan_ok(gasan_shadow_flush(work->shadow));
    /* The bytes that a thread flushed are on the device before its launch, whichever thread uploaded them. */
    work->failed |= on_device(work->device, work->shadow, address + 256) != 44;
    work->failed |= gasan_shadow_get(work->shadow, address) != 128;
    gasan_shadow_poison(work->shadow, address, 300);
  }
  return NULL;
}

TEST many_threads(void) {
  struct gasan_device *device = fake_device_new(PAGE, MEMORY);
  struct gasan_shadow *shadow;
  struct work work[4];
  pthread_t threads[4];
  ASSERT(gasan_ok(gasan_shadow_create(device, BASE, WINDOW, 7, &shadow)));
  for (uint64_t i = 0; i < 4; i++) {
    work[i] = (struct work){device, shadow, BASE + i * (1 << 16), false};
    pthread_create(&threads[i], NULL, toggle, &work[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    ASSERT_FALSE(work[i].failed);
  }
  gasan_shadow_destroy(shadow);
  fake_device_delete(device);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (int i = 0; i < 3; i++)
    RUN_TESTp(random_ranges_match_the_oracle, &all_scales[i]);
  RUN_TEST(create_checks_arguments);
  RUN_TEST(tiny_window);
  RUN_TEST(range_across_the_wrap);
  RUN_TEST(outside_the_window_is_poison);
  RUN_TEST(flush_writes_little);
  RUN_TEST(memory_comes_in_units);
  for (int i = 0; i < 3; i++)
    RUN_TESTp(memory_goes_back, &all_scales[i]);
  RUN_TEST(unseen_parts_cost_no_mapping);
  RUN_TEST(create_fails_cleanly);
  RUN_TEST(taking_a_unit_fails_cleanly);
  RUN_TEST(giving_a_unit_back_fails_cleanly);
  RUN_TEST(failed_write_stays_dirty);
  RUN_TEST(many_threads);
  GREATEST_MAIN_END();
}
