/* The pool under a million random allocations and frees, built with the host's AddressSanitizer and UBSan, against an
 * oracle that knows for every 256 bytes of the window which chunk they belong to and whose redzones cover them. */
#include "greatest.h"
#include "pool/pool.h"

#include <stdlib.h>

#include "fake_device.h"

#define WINDOW (4ull << 30)
#define SLOT GASAN_POOL_ALIGNMENT
#define SLOTS (WINDOW / SLOT)
#define MAX_LIVE 2500

struct setting {
  uint64_t page_size;
  uint32_t scale, redzone_percent;
  uint64_t redzone_min, quarantine_size;
  uint64_t common_size, rare_size; /* greatest sizes */
  int operations;
};

static const struct setting settings[] = {
    {4096, GASAN_SCALE_128, 50, 256, 4 << 20, 8192, 4 << 20, 400000},
    {4096, GASAN_SCALE_256, 10, 1000, 1 << 20, 2000, 1 << 20, 300000},
    {4096, GASAN_SCALE_8, 100, 256, 0, 600, 1 << 18, 60000},
    {1 << 16, GASAN_SCALE_128, 0, 256, 1 << 20, 40000, 1 << 20, 120000},
    {2 << 20, GASAN_SCALE_128, 50, 256, 64 << 20, 60000, 32 << 20, 120000},
};

/* WAITING: freed, and its addresses are not reused yet. A small chunk waits in the quarantine, a large one dead. */
enum state { LIVE, WAITING, RELEASED, FORGOTTEN };

/* FIFO of record numbers. */
struct line {
  uint32_t *numbers;
  uint32_t first, end;
  uint64_t bytes, charge;
};

struct record {
  uint64_t base, size, redzone;
  uint64_t extent; /* slots from the base in which no other chunk may start: its redzone, or the rest of its pages */
  enum state state;
  uint32_t live_index;
};

struct oracle {
  const struct setting *setting;
  struct gasan_device *device;
  struct gasan_pool *pool;
  uint64_t base;
  uint64_t random;
  uint32_t *owner;        /* record number by slot; 0: none */
  uint16_t *covered;      /* by how many redzones of taken chunks, by slot */
  struct record *records; /* number n is allocation n */
  uint32_t record_count;
  uint32_t live[MAX_LIVE];
  uint32_t live_count;
  struct line quarantine, dead;
  uint64_t live_bytes, forgotten;
};

static uint64_t random_below(struct oracle *oracle, uint64_t limit) {
  oracle->random = oracle->random * 6364136223846793005ull + 1442695040888963407ull;
  return (oracle->random >> 31) % limit;
}

static uint64_t slots_of(uint64_t size) {
  return (size + SLOT - 1) / SLOT;
}

/* Room in the window, in slots: gasan 3.3's redzones. */
static uint64_t redzone_of(const struct setting *setting, uint64_t size) {
  uint64_t scaled = slots_of(size * setting->redzone_percent / 100) * SLOT;
  uint64_t least = slots_of(setting->redzone_min) * SLOT;
  return scaled > least ? scaled : least;
}

/* 256-encoding: one byte more (gasan 3.1). */
static uint64_t accessible_of(const struct setting *setting, uint64_t size) {
  return setting->scale == GASAN_SCALE_256 && size % 256 == 1 ? size + 1 : size;
}

static bool is_large(const struct setting *setting, uint64_t size) {
  return size > setting->page_size / 2;
}

static uint64_t extent_of(const struct setting *setting, const struct record *record) {
  uint64_t extent = slots_of(record->size) + record->redzone / SLOT;
  uint64_t pages = (record->size + setting->page_size - 1) / setting->page_size * (setting->page_size / SLOT);
  return is_large(setting, record->size) && pages > extent ? pages : extent;
}

static void cover(struct oracle *oracle, const struct record *record, int change) {
  uint64_t first = (record->base - record->redzone - oracle->base) / SLOT;
  uint64_t end = (record->base - oracle->base) / SLOT + record->extent;
  for (uint64_t slot = first; slot < end && slot < SLOTS; slot++)
    oracle->covered[slot] = (uint16_t)(oracle->covered[slot] + change);
}

static void forget(struct oracle *oracle, uint32_t number) {
  struct record *record = &oracle->records[number];
  uint64_t first = (record->base - oracle->base) / SLOT;
  for (uint64_t slot = first; slot < first + slots_of(record->size); slot++)
    if (oracle->owner[slot] == number)
      oracle->owner[slot] = 0;
  record->state = FORGOTTEN;
  oracle->forgotten++;
}

static bool is_taken(const struct oracle *oracle, uint64_t slot) {
  uint32_t number = oracle->owner[slot];
  return number && oracle->records[number].state != RELEASED;
}

/* If the chunk may not start at slot `first`: the next slot that is worth a try. Else `first`. */
static uint64_t next_start(const struct oracle *oracle, const struct record *record, uint64_t first) {
  uint64_t redzone = record->redzone / SLOT, end = first + slots_of(record->size);
  for (uint64_t slot = first + record->extent; slot-- > first - redzone;) {
    if (is_taken(oracle, slot)) /* a chunk in the new one's redzone */
      return slot + 1 + redzone;
    if (slot >= first && slot < end && oracle->covered[slot]) /* the new one in a chunk's redzone */
      return slot + 1;
  }
  return first;
}

/* First fit by a linear search. Returns 0 if there is no place. */
static uint64_t lowest_base(const struct oracle *oracle, const struct record *record) {
  uint64_t alignment = is_large(oracle->setting, record->size) ? oracle->setting->page_size / SLOT : 1;
  uint64_t start = record->redzone / SLOT;
  for (;;) {
    start = (start + alignment - 1) / alignment * alignment;
    if (start * SLOT + record->size + record->redzone > WINDOW || start + record->extent > SLOTS)
      return 0;
    uint64_t next = next_start(oracle, record, start);
    if (next == start)
      return oracle->base + start * SLOT;
    start = next;
  }
}

/* Returns whether the new chunk may be at its place. */
static bool place_is_right(const struct oracle *oracle, const struct record *record) {
  uint64_t offset = record->base - oracle->base;
  return record->base % SLOT == 0 && offset >= record->redzone && offset + record->size + record->redzone <= WINDOW &&
         next_start(oracle, record, offset / SLOT) == offset / SLOT;
}

/* Forgets released chunks whose addresses the new chunk or its redzones use. */
static void forget_released(struct oracle *oracle, const struct record *record) {
  uint64_t first = (record->base - oracle->base) / SLOT, redzone = record->redzone / SLOT;
  for (uint64_t slot = first - redzone; slot < first + slots_of(record->size) + redzone; slot++)
    if (oracle->owner[slot])
      forget(oracle, oracle->owner[slot]);
}

static void release(struct oracle *oracle, uint32_t number) {
  cover(oracle, &oracle->records[number], -1);
  oracle->records[number].state = RELEASED;
}

/* If the window is used up, the oldest dead chunks make room, and no more of them than needed. */
static bool dead_that_are_needed_left(struct oracle *oracle, const struct record *record, uint64_t *lowest,
                                      bool compare) {
  struct gasan_pool_counters counters;
  gasan_pool_counters(oracle->pool, &counters);
  uint32_t waiting = oracle->dead.end - oracle->dead.first;
  if (counters.dead_chunks > waiting)
    return false;
  for (; waiting > counters.dead_chunks; waiting--) {
    if (compare && *lowest)
      return false;
    uint32_t oldest = oracle->dead.numbers[oracle->dead.first++];
    oracle->dead.bytes -= oracle->records[oldest].size;
    release(oracle, oldest);
    if (compare)
      *lowest = lowest_base(oracle, record);
  }
  return true;
}

static bool allocate(struct oracle *oracle) {
  const struct setting *setting = oracle->setting;
  struct record record = {.state = LIVE};
  record.size = 1 + random_below(oracle, random_below(oracle, 200) ? setting->common_size : setting->rare_size);
  if (random_below(oracle, 4) == 0)
    record.size = 1 + random_below(oracle, 300);
  record.redzone = redzone_of(setting, record.size);
  record.extent = extent_of(setting, &record);
  bool compare = random_below(oracle, 20 + (oracle->dead.end - oracle->dead.first)) == 0; /* which takes longer then */
  uint64_t lowest = compare ? lowest_base(oracle, &record) : 0;
  struct gasan_pool_caller caller = {"cudaMalloc", oracle->record_count + 1, 3};
  if (!gasan_ok(gasan_pool_allocate(oracle->pool, record.size, caller, &record.base)))
    return false;
  if (!dead_that_are_needed_left(oracle, &record, &lowest, compare) || !place_is_right(oracle, &record) ||
      (compare && record.base != lowest))
    return false;
  forget_released(oracle, &record);
  uint32_t number = ++oracle->record_count;
  uint64_t first = (record.base - oracle->base) / SLOT;
  for (uint64_t slot = first; slot < first + slots_of(record.size); slot++)
    oracle->owner[slot] = number;
  cover(oracle, &record, 1);
  record.live_index = oracle->live_count;
  oracle->live[oracle->live_count++] = number;
  oracle->live_bytes += record.size;
  oracle->records[number] = record;
  return fake_device_has_memory(oracle->device, record.base, accessible_of(setting, record.size));
}

static uint64_t charge_of(const struct record *record) {
  return record->size > GASAN_POOL_LEAST_QUARANTINED ? record->size : GASAN_POOL_LEAST_QUARANTINED;
}

/* Appends the number to the queue. Then removes numbers at the head until the queue is short enough, except for the
 * last `keep`. */
static void wait_in(struct oracle *oracle, struct line *line, uint32_t number, uint64_t limit, uint32_t keep) {
  oracle->records[number].state = WAITING;
  line->numbers[line->end++] = number;
  line->bytes += oracle->records[number].size;
  line->charge += charge_of(&oracle->records[number]);
  while (line->charge > limit && line->end - line->first > keep) {
    uint32_t oldest = line->numbers[line->first++];
    line->bytes -= oracle->records[oldest].size;
    line->charge -= charge_of(&oracle->records[oldest]);
    release(oracle, oldest);
  }
}

static bool free_one(struct oracle *oracle) {
  uint32_t number = oracle->live[random_below(oracle, oracle->live_count)];
  struct record *record = &oracle->records[number];
  struct gasan_chunk chunk;
  struct gasan_pool_caller caller = {"cudaFree", number + 7, 4};
  if (gasan_pool_free(oracle->pool, record->base, caller, &chunk) != GASAN_POOL_FREED)
    return false;
  if (chunk.sequence != number || chunk.size != record->size || chunk.free_stack != number + 7)
    return false;
  oracle->live[record->live_index] = oracle->live[--oracle->live_count];
  oracle->records[oracle->live[record->live_index]].live_index = record->live_index;
  oracle->live_bytes -= record->size;
  if (is_large(oracle->setting, record->size)) {
    wait_in(oracle, &oracle->dead, number, WINDOW, 1);
    return !fake_device_readable(oracle->device, record->base, 1);
  }
  if (charge_of(record) > oracle->setting->quarantine_size)
    release(oracle, number);
  else
    wait_in(oracle, &oracle->quarantine, number, oracle->setting->quarantine_size, 0);
  return true;
}

/* The record number that find must name. */
static uint32_t nearest(const struct oracle *oracle, uint64_t address) {
  uint64_t slot = (address - oracle->base) / SLOT;
  uint32_t below = 0, above = 0;
  for (uint64_t left = slot + 1; left-- > 0 && !below;)
    below = oracle->owner[left];
  uint64_t start = 0;
  if (below)
    start = (oracle->records[below].base - oracle->base) / SLOT + slots_of(oracle->records[below].size);
  for (uint64_t right = start; right < SLOTS && !above; right++)
    above = oracle->owner[right];
  if (!below || !above)
    return below ? below : above;
  const struct record *low = &oracle->records[below], *high = &oracle->records[above];
  if (address < low->base + low->size)
    return below;
  uint64_t to_low = address - (low->base + low->size - 1), to_high = high->base - address;
  if (to_low == to_high)
    return low->state == LIVE || high->state != LIVE ? below : above;
  return to_low < to_high ? below : above;
}

static bool find_is_right(struct oracle *oracle) {
  uint32_t number = 1 + (uint32_t)random_below(oracle, oracle->record_count);
  const struct record *around = &oracle->records[number];
  uint64_t address = around->base - around->redzone + random_below(oracle, around->size + 2 * around->redzone);
  struct gasan_chunk chunk;
  if (!gasan_pool_find(oracle->pool, address, &chunk))
    return false;
  uint32_t expected = nearest(oracle, address);
  const struct record *record = &oracle->records[expected];
  bool live = record->state == LIVE;
  return chunk.sequence == expected && chunk.base == record->base && chunk.size == record->size &&
         chunk.allocation_stack == expected && (chunk.state == GASAN_CHUNK_LIVE) == live &&
         chunk.free_stack == (live ? 0 : expected + 7) &&
         (record->state == RELEASED ||
          (chunk.redzone_left >= record->redzone && chunk.redzone_right >= record->redzone));
}

/* Frees that must be refused, and their names. */
static bool bad_frees_are_right(struct oracle *oracle) {
  uint32_t number = 1 + (uint32_t)random_below(oracle, oracle->record_count);
  const struct record *record = &oracle->records[number];
  struct gasan_pool_caller caller = {"cudaFree", 1, 1};
  struct gasan_chunk chunk;
  uint64_t inside = record->base + 1 + random_below(oracle, 255);
  if (gasan_pool_free(oracle->pool, inside, caller, &chunk) != GASAN_POOL_NOT_A_CHUNK)
    return false;
  if (chunk.sequence != nearest(oracle, inside))
    return false;
  if (record->state == WAITING || record->state == RELEASED)
    return gasan_pool_free(oracle->pool, record->base, caller, &chunk) == GASAN_POOL_DOUBLE_FREE &&
           chunk.sequence == number && chunk.free_stack == number + 7;
  return true;
}

/* The shadow around a chunk agrees with the oracle, byte by byte, in the mirror and on the device. */
static bool shadow_is_right(struct oracle *oracle) {
  uint32_t scale = oracle->setting->scale;
  struct gasan_shadow *shadow = gasan_pool_shadow(oracle->pool);
  const struct record *around = &oracle->records[1 + random_below(oracle, oracle->record_count)];
  uint64_t start = around->base - around->redzone;
  uint64_t end = around->base + (around->size < 65536 ? around->size : 65536) + SLOT;
  if (!gasan_ok(gasan_pool_flush(oracle->pool)))
    return false;
  for (uint64_t address = start; address < end; address++) {
    uint32_t number = oracle->owner[(address - oracle->base) / SLOT];
    const struct record *record = number ? &oracle->records[number] : NULL;
    bool expected =
        record && record->state == LIVE && address < record->base + accessible_of(oracle->setting, record->size);
    uint8_t mirror = gasan_shadow_get(shadow, address);
    uint64_t offset = gasan_shadow_offset(scale, gasan_shadow_mask(shadow), address);
    uint8_t on_device = *(const uint8_t *)(gasan_shadow_base(shadow) + offset);
    if (mirror != on_device || !!gasan_shadow_allows(scale, mirror, address, 1) != expected)
      return false;
  }
  return true;
}

static bool counters_are_right(struct oracle *oracle) {
  struct gasan_pool_counters counters;
  gasan_pool_counters(oracle->pool, &counters);
  return counters.live_chunks == oracle->live_count && counters.live_bytes == oracle->live_bytes &&
         counters.quarantined_bytes == oracle->quarantine.bytes &&
         counters.quarantined_bytes <= oracle->setting->quarantine_size &&
         counters.quarantined_chunks == oracle->quarantine.end - oracle->quarantine.first &&
         counters.dead_bytes == oracle->dead.bytes && counters.dead_chunks == oracle->dead.end - oracle->dead.first &&
         counters.allocations == oracle->record_count && counters.reused == oracle->forgotten &&
         counters.frees == oracle->record_count - oracle->live_count &&
         counters.mapped_bytes + gasan_shadow_memory(gasan_pool_shadow(oracle->pool)) ==
             fake_device_mapped(oracle->device);
}

static void touch(const struct oracle *oracle) {
  const struct record *record = &oracle->records[oracle->live[oracle->live_count - 1]];
  *(volatile char *)record->base = 1;
  *(volatile char *)(record->base + record->size - 1) = 2;
}

static void open_pool(struct oracle *oracle, const struct setting *setting) {
  *oracle = (struct oracle){.setting = setting, .random = 1};
  oracle->device = fake_device_new(setting->page_size, 2ull << 30);
  struct gasan_pool_options options = {.window_size = WINDOW,
                                       .shadow_scale = setting->scale,
                                       .redzone_percent = setting->redzone_percent,
                                       .redzone_min = setting->redzone_min,
                                       .quarantine_size = setting->quarantine_size};
  if (!gasan_ok(gasan_pool_create(oracle->device, &options, &oracle->pool)))
    abort();
  oracle->base = gasan_pool_window_base(oracle->pool);
  oracle->owner = calloc(SLOTS, sizeof *oracle->owner);
  oracle->covered = calloc(SLOTS, sizeof *oracle->covered);
  oracle->records = calloc((size_t)setting->operations + 1, sizeof *oracle->records);
  oracle->quarantine.numbers = calloc((size_t)setting->operations + 1, sizeof(uint32_t));
  oracle->dead.numbers = calloc((size_t)setting->operations + 1, sizeof(uint32_t));
}

static void close_pool(struct oracle *oracle) {
  gasan_pool_destroy(oracle->pool);
  fake_device_delete(oracle->device); /* checks that all memory was released */
  free(oracle->owner);
  free(oracle->covered);
  free(oracle->records);
  free(oracle->quarantine.numbers);
  free(oracle->dead.numbers);
}

TEST random_trace(const struct setting *setting) {
  struct oracle oracle;
  open_pool(&oracle, setting);
  bool growing = true;
  for (int operation = 0; operation < setting->operations; operation++) {
    if (oracle.live_count == 0)
      growing = true;
    else if (oracle.live_count == MAX_LIVE)
      growing = false;
    else if (random_below(&oracle, 5000) == 0)
      growing = !growing;
    if (oracle.live_count == 0 || (oracle.live_count < MAX_LIVE && random_below(&oracle, 10) < (growing ? 7 : 3))) {
      ASSERT(allocate(&oracle));
      touch(&oracle);
    } else {
      ASSERT(free_one(&oracle));
    }
    if (operation % 8 == 0)
      ASSERT(find_is_right(&oracle));
    if (operation % 64 == 0) {
      ASSERT(shadow_is_right(&oracle));
      ASSERT(counters_are_right(&oracle));
      ASSERT(bad_frees_are_right(&oracle));
    }
  }
  while (oracle.live_count)
    ASSERT(free_one(&oracle));
  ASSERT(counters_are_right(&oracle));
  close_pool(&oracle);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  for (unsigned index = 0; index < sizeof settings / sizeof *settings; index++)
    RUN_TESTp(random_trace, &settings[index]);
  GREATEST_MAIN_END();
}
