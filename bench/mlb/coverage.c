/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/coverage.h"

#include <stdlib.h>

#include "bench/mlb/mlb_buffer.h"
#include "bench/mlb/stream.h"

/* The latest lookups of a lane's warp in an allocation. */
struct latest {
  uint64_t warp, allocation; /* warp: with the block in its upper half */
  uint32_t mask;             /* lanes that have a pointer; 0: an empty slot */
  uint64_t pointers[32];
};

struct table {
  struct latest *slots;
  uint64_t room, used; /* room: a power of two */
};

static struct latest *find(const struct table *table, uint64_t warp, uint64_t allocation) {
  uint64_t at = (warp * 0x9e3779b97f4a7c15 ^ allocation) * 0x9e3779b97f4a7c15 >> 20;
  for (;; at++) {
    struct latest *slot = &table->slots[at & (table->room - 1)];
    if (!slot->mask || (slot->warp == warp && slot->allocation == allocation))
      return slot;
  }
}

static bool grow(struct table *table) {
  struct table larger = {.room = table->room ? 2 * table->room : 1024, .used = table->used};
  larger.slots = calloc(larger.room, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (uint64_t i = 0; i < table->room; i++)
    if (table->slots[i].mask)
      *find(&larger, table->slots[i].warp, table->slots[i].allocation) = table->slots[i];
  free(table->slots);
  *table = larger;
  return true;
}

static bool note_lookup(struct table *table, uint64_t warp, uint64_t allocation, uint32_t lane, uint64_t pointer) {
  if (2 * table->used >= table->room && !grow(table))
    return false;
  struct latest *slot = find(table, warp, allocation);
  table->used += !slot->mask;
  slot->warp = warp;
  slot->allocation = allocation;
  slot->mask |= 1u << lane;
  slot->pointers[lane] = pointer;
  return true;
}

static void count_access(struct mlb_coverage *coverage, const struct table *table, uint64_t warp, uint64_t allocation,
                         uint32_t lane, uint64_t base, uint64_t address) {
  const struct latest *slot = table->room ? find(table, warp, allocation) : NULL;
  if (!slot || !(slot->mask >> lane & 1))
    coverage->none++;
  else if (slot->pointers[lane] == base)
    coverage->base++;
  else if (slot->pointers[lane] == address)
    coverage->address++;
  else
    coverage->inside++;
}

bool mlb_coverage_run(struct mlb_coverage *coverage, const struct mlb_launch *launch) {
  struct table table = {0};
  struct mlb_record record;
  bool has_memory = true;
  for (uint64_t at = 0; has_memory && mlb_record_next(launch, &at, &record);) {
    const uint64_t warp = (uint64_t)record.head.block << 32 | record.head.warp;
    uint32_t mask = record.head.mask;
    for (uint32_t i = 0; has_memory && i < record.lanes; i++, mask &= mask - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(mask);
      const uint64_t allocation = mlb_find_allocation(launch, record.addresses[i]);
      if (allocation == MLB_NONE)
        continue;
      if (record.head.type == GASAN_TRACE_LOOKUP)
        has_memory = note_lookup(&table, warp, allocation, lane, record.addresses[i]);
      else
        count_access(coverage, &table, warp, allocation, lane, launch->allocations[allocation].base,
                     record.addresses[i]);
    }
  }
  free(table.slots);
  return has_memory;
}
