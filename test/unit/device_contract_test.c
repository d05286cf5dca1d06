/* The contract of every device (device/device.h), for the kind that the argument names: "cpu" or "cuda". Sizes are
 * multiples of the device's page size. Without a GPU, "cuda" ends as skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "greatest.h"

static const struct gasan_device_kind *kind;
static struct gasan_device *device;
static uint64_t page;

#define OK(call) ASSERT_EQ_FMT(GASAN_OK, (call).code, "%d")

static uint64_t random_state = 1;
static uint32_t next_random(void) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(random_state >> 33);
}

static uint8_t *pattern(size_t size) {
  uint8_t *bytes = malloc(size);
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)next_random();
  return bytes;
}

static bool all_bytes(const uint8_t *bytes, size_t size, uint8_t value) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != value)
      return false;
  return true;
}

TEST identity(void) {
  char text[256] = "", cut[4] = "xxx";
  ASSERT(kind->count() >= 1);
  ASSERT(kind->current() >= 0 && kind->current() < kind->count());
  kind->describe(device, text, sizeof text);
  ASSERT(strlen(text) > 0);
  kind->describe(device, cut, sizeof cut);
  ASSERT_EQ(3, strlen(cut));
  ASSERT(strncmp(text, cut, 3) == 0);
  ASSERT(kind->total_memory(device) > page);
  ASSERT_EQ(0, page & (page - 1));
  struct gasan_device *again = NULL, *none;
  OK(kind->open(0, &again));
  ASSERT_EQ(device, again);
  ASSERT_EQ(kind, device->kind);
  ASSERT_EQ(0, device->ordinal);
  ASSERT_FALSE(gasan_ok(kind->open(kind->count(), &none)));
  PASS();
}

TEST api_by_name(void) {
  ASSERT(kind->api("cudaMemcpy"));
  ASSERT(kind->api("cudaLaunchKernel"));
  ASSERT(kind->api("cudaMemcpy_ptds"));
  ASSERT(kind->api("__cudaRegisterFatBinary"));
  ASSERT(kind->api("cudaMemcpy") != kind->api("cudaMemset"));
  ASSERT_EQ(NULL, kind->api("cudaNoSuchFunction"));
  PASS();
}

TEST reserve_is_aligned(void) {
  uint64_t size = 64 * page;
  for (uint64_t align = page; align <= 64 * page; align *= 4) {
    uint64_t base = 0;
    OK(kind->reserve(device, size, align, &base));
    ASSERT(base != 0);
    ASSERT_EQ(0, base % align);
    OK(kind->release(device, base, size));
  }
  PASS();
}

/* A window as large as the pool's costs no memory. */
TEST reserve_is_large(void) {
  uint64_t size = 1ull << 36, base;
  while (size < page * 64)
    size *= 2;
  OK(kind->reserve(device, size, size, &base));
  ASSERT_EQ(0, base % size);
  OK(kind->map(device, base + size - page, page));
  OK(kind->fill(device, base + size - page, 7, page));
  OK(kind->unmap(device, base + size - page, page));
  OK(kind->release(device, base, size));
  PASS();
}

/* Of several writes to one address, whose source the next write overwrites, the last one remains. */
TEST writes_later(void) {
  enum { WORDS = 3000, ROUNDS = 50 };
  static const size_t words[] = {1, 500, WORDS};
  uint64_t base;
  if (!kind->write_later)
    SKIP();
  OK(kind->reserve(device, page, page, &base));
  OK(kind->map(device, base, page));
  for (size_t s = 0; s < sizeof words / sizeof *words; s++) {
    static uint32_t from[WORDS], got[WORDS];
    for (uint32_t round = 0; round < ROUNDS; round++) {
      for (size_t i = 0; i < words[s]; i++)
        from[i] = round * WORDS + (uint32_t)i;
      OK(kind->write_later(device, base, from, words[s] * sizeof *from));
      OK(kind->order(device, NULL));
    }
    OK(kind->finish_writes(device));
    OK(kind->finish_writes(device));
    OK(kind->read(device, got, base, words[s] * sizeof *got));
    ASSERT(memcmp(got, from, words[s] * sizeof *got) == 0);
  }
  OK(kind->unmap(device, base, page));
  OK(kind->release(device, base, page));
  PASS();
}

TEST write_and_read(void) {
  static const int64_t offsets[] = {0, 1, 4093, 65537, -1};
  static const size_t sizes[] = {1, 3, 256, 4096, 100001};
  uint64_t base, size = 4 * page;
  OK(kind->reserve(device, size, page, &base));
  OK(kind->map(device, base, size));
  for (int o = 0; o < 5; o++)
    for (int s = 0; s < 5; s++) {
      uint64_t at = base + page + (uint64_t)offsets[o]; /* across pages, too */
      if (at + sizes[s] + 1 > base + size)
        continue;
      uint8_t *wrote = pattern(sizes[s]), *got = malloc(sizes[s] + 2);
      OK(kind->fill(device, at - 1, 0xee, sizes[s] + 2));
      OK(kind->write(device, at, wrote, sizes[s]));
      OK(kind->read(device, got, at - 1, sizes[s] + 2));
      ASSERT_EQ(0xee, got[0]);
      ASSERT(memcmp(got + 1, wrote, sizes[s]) == 0);
      ASSERT_EQ(0xee, got[sizes[s] + 1]);
      free(wrote);
      free(got);
    }
  OK(kind->unmap(device, base, size));
  OK(kind->release(device, base, size));
  PASS();
}

TEST fill(void) {
  uint64_t base, size = 2 * page;
  uint8_t *got = malloc(size);
  OK(kind->reserve(device, size, page, &base));
  OK(kind->map(device, base, size));
  OK(kind->fill(device, base, 0x11, size));
  OK(kind->fill(device, base + page - 3, 0x22, 7));
  OK(kind->fill(device, base + 5, 0x33, 0));
  OK(kind->read(device, got, base, size));
  ASSERT(all_bytes(got, page - 3, 0x11));
  ASSERT(all_bytes(got + page - 3, 7, 0x22));
  ASSERT(all_bytes(got + page + 4, page - 4, 0x11));
  OK(kind->unmap(device, base, size));
  OK(kind->release(device, base, size));
  free(got);
  PASS();
}

/* Neighbours mapped one by one are one piece; they may go together, and each place can be mapped again. */
TEST map_and_unmap(void) {
  enum { PAGES = 8 };
  uint64_t base;
  uint8_t *wrote = pattern(PAGES * page), *got = malloc(PAGES * page);
  OK(kind->reserve(device, PAGES * page, page, &base));
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < PAGES; i++)
      OK(kind->map(device, base + (uint64_t)(i * 5 % PAGES) * page, page));
    OK(kind->write(device, base, wrote, PAGES * page));
    OK(kind->read(device, got, base, PAGES * page));
    ASSERT(memcmp(wrote, got, PAGES * page) == 0);
    OK(kind->unmap(device, base + 2 * page, page)); /* the others keep their contents */
    OK(kind->unmap(device, base + 4 * page, 3 * page));
    memset(got, 0, PAGES * page);
    OK(kind->read(device, got, base, 2 * page));
    ASSERT(memcmp(wrote, got, 2 * page) == 0);
    OK(kind->read(device, got, base + 7 * page, page));
    ASSERT(memcmp(wrote + 7 * page, got, page) == 0);
    OK(kind->map(device, base + 4 * page, page));
    OK(kind->fill(device, base + 4 * page, 9, page));
    OK(kind->read(device, got, base + 3 * page, 2 * page));
    ASSERT(memcmp(wrote + 3 * page, got, page) == 0);
    ASSERT(all_bytes(got + page, page, 9));
    OK(kind->unmap(device, base, 2 * page));
    OK(kind->unmap(device, base + 3 * page, 2 * page));
    OK(kind->unmap(device, base + 7 * page, page));
  }
  OK(kind->release(device, base, PAGES * page));
  free(wrote);
  free(got);
  PASS();
}

/* Unmapped memory is reused: in total, more is mapped than the device has. */
TEST unmap_gives_back(void) {
  uint64_t base, total = kind->total_memory(device), size = page;
  while (size * 2 <= total / 2)
    size *= 2;
  OK(kind->reserve(device, size, page, &base));
  for (int round = 0; round < 5; round++) {
    OK(kind->map(device, base, size));
    OK(kind->fill(device, base + (size - page), (uint8_t)round, page));
    OK(kind->unmap(device, base, size));
  }
  OK(kind->release(device, base, size));
  PASS();
}

TEST out_of_memory(void) {
  uint64_t base, size = page;
  while (size <= kind->total_memory(device))
    size *= 2;
  OK(kind->reserve(device, size, page, &base));
  ASSERT_EQ_FMT(GASAN_ERR_OUT_OF_MEMORY, kind->map(device, base, size).code, "%d");
  OK(kind->map(device, base, page)); /* the failed call has left nothing mapped */
  OK(kind->unmap(device, base, page));
  OK(kind->release(device, base, size));
  PASS();
}

/* All filled ranges of a device have one size and byte, so one process can only test one byte. */
TEST map_filled(uint8_t byte) {
  enum { UNITS = 16 };
  uint64_t base, unit = page > 1 << 21 ? page : 1 << 21;
  uint8_t *got = malloc(unit), *wrote = pattern(unit);
  OK(kind->reserve(device, UNITS * unit, unit, &base));
  for (int i = 0; i < UNITS; i++)
    OK(kind->map_filled(device, base + (uint64_t)i * unit, unit, byte));
  for (int i = 0; i < UNITS; i += 5) {
    OK(kind->read(device, got, base + (uint64_t)i * unit, unit));
    ASSERT(all_bytes(got, unit, byte));
  }
  OK(kind->read(device, got, base + unit / 2, unit)); /* across two */
  ASSERT(all_bytes(got, unit, byte));
  /* One becomes real memory, as the shadow does it; the others stay. */
  OK(kind->unmap(device, base + 3 * unit, unit));
  OK(kind->map(device, base + 3 * unit, unit));
  OK(kind->write(device, base + 3 * unit, wrote, unit));
  OK(kind->read(device, got, base + 3 * unit, unit));
  ASSERT(memcmp(wrote, got, unit) == 0);
  OK(kind->read(device, got, base + 2 * unit, unit));
  ASSERT(all_bytes(got, unit, byte));
  OK(kind->read(device, got, base + 4 * unit, unit));
  ASSERT(all_bytes(got, unit, byte));
  OK(kind->unmap(device, base + 3 * unit, unit));
  OK(kind->map_filled(device, base + 3 * unit, unit, byte)); /* and back */
  OK(kind->read(device, got, base + 3 * unit, unit));
  ASSERT(all_bytes(got, unit, byte));
  OK(kind->unmap(device, base, 2 * unit));
  OK(kind->unmap(device, base + 2 * unit, (UNITS - 2) * unit));
  OK(kind->release(device, base, UNITS * unit));
  free(got);
  free(wrote);
  PASS();
}

/* Host and device see the same memory, up to the device's size. */
TEST memory_without_addresses(void) {
  uint64_t base, memory = 0, total = kind->total_memory(device), size = page;
  uint8_t *wrote = pattern(page), *got = malloc(page);
  OK(kind->reserve(device, 8 * page, page, &base));
  for (int round = 0; round < 3; round++) {
    OK(kind->memory_create(device, page, &memory));
    ASSERT(memory);
    for (uint64_t place = 0; place < 8; place += 3) {
      OK(kind->memory_map(device, base + place * page, page, memory));
      OK(kind->write(device, base + place * page, wrote, page));
      OK(kind->read(device, got, base + place * page, page));
      ASSERT(memcmp(wrote, got, page) == 0);
      OK(kind->unmap(device, base + place * page, page));
    }
    OK(kind->memory_release(device, page, memory));
  }
  while (size * 2 <= total / 2)
    size *= 2;
  for (int round = 0; round < 5; round++) {
    OK(kind->memory_create(device, size, &memory));
    OK(kind->memory_release(device, size, memory));
  }
  ASSERT_EQ_FMT(GASAN_ERR_OUT_OF_MEMORY, kind->memory_create(device, 4 * size, &memory).code, "%d");
  OK(kind->release(device, base, 8 * page));
  free(wrote);
  free(got);
  PASS();
}

TEST host_memory(void) {
  enum { SIZE = 100000 };
  unsigned char *host = NULL;
  uint64_t address = 0;
  uint8_t *wrote = pattern(SIZE), *got = malloc(SIZE);
  OK(kind->host_alloc(device, SIZE, (void **)&host, &address));
  ASSERT(host && address);
  ASSERT(all_bytes(host, SIZE, 0));
  OK(kind->write(device, address, wrote, SIZE)); /* the host sees the device's writes, */
  ASSERT(memcmp(host, wrote, SIZE) == 0);
  host[SIZE - 1] ^= 0xff; /* and the device the host's */
  OK(kind->read(device, got, address, SIZE));
  ASSERT(memcmp(host, got, SIZE) == 0);
  free(wrote);
  free(got);
  PASS();
}

TEST device_memory(void) {
  enum { SIZE = 30000 };
  uint64_t first, second;
  uint8_t *got = malloc(SIZE);
  OK(kind->device_alloc(device, SIZE, &first));
  OK(kind->device_alloc(device, SIZE, &second));
  OK(kind->read(device, got, first, SIZE));
  ASSERT(all_bytes(got, SIZE, 0));
  OK(kind->fill(device, first, 3, SIZE));
  OK(kind->read(device, got, second, SIZE));
  ASSERT(all_bytes(got, SIZE, 0));
  OK(kind->read(device, got, first, SIZE));
  ASSERT(all_bytes(got, SIZE, 3));
  free(got);
  PASS();
}

TEST waiting(void) {
  OK(kind->synchronize(device));
  ASSERT(kind->idle(device));
  kind->set_launch_id(5);
  kind->set_launch_id(0);
  PASS();
}

TEST unknown_symbol(void) {
  static const char not_a_kernel;
  uint64_t address, size;
  ASSERT_EQ_FMT(GASAN_ERR_NOT_FOUND, kind->symbol(device, &not_a_kernel, "__gasan_params", &address, &size).code, "%d");
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "cpu", *why = "";
  kind = strcmp(name, "cuda") == 0 ? &gasan_device_cuda : &gasan_device_cpu;
  if (!gasan_ok(kind->start(&why))) {
    printf("skipped: no %s device: %s\n", kind->name, why);
    return kind == &gasan_device_cpu;
  }
  if (!gasan_ok(kind->open(0, &device)))
    return 1;
  page = kind->page_size(device);
  GREATEST_INIT();
  RUN_TEST(identity);
  RUN_TEST(api_by_name);
  RUN_TEST(reserve_is_aligned);
  RUN_TEST(reserve_is_large);
  RUN_TEST(write_and_read);
  RUN_TEST(writes_later);
  RUN_TEST(fill);
  RUN_TEST(map_and_unmap);
  RUN_TEST(unmap_gives_back);
  RUN_TEST(out_of_memory);
  RUN_TESTp(map_filled, argc > 2 ? (uint8_t)strtoul(argv[2], NULL, 0) : 0);
  RUN_TEST(memory_without_addresses);
  RUN_TEST(host_memory);
  RUN_TEST(device_memory);
  RUN_TEST(waiting);
  RUN_TEST(unknown_symbol);
  GREATEST_MAIN_END();
}
