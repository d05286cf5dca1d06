/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pool/quarantine.h"

/* Loads the next entry into the cache while the current one is processed. The entry was not touched since it was freed,
 * and one free may pop many entries, which would otherwise mostly wait for memory. */
static void fetch_early(const struct gasan_entry *entry) {
  for (size_t offset = 0; entry && offset < sizeof *entry; offset += 64)
    __builtin_prefetch((const char *)entry + offset, 1);
}

uint64_t gasan_quarantine_charge(const struct gasan_entry *entry) {
  return entry->layout.size > GASAN_POOL_LEAST_QUARANTINED ? entry->layout.size : GASAN_POOL_LEAST_QUARANTINED;
}

void gasan_quarantine_push(struct gasan_quarantine *quarantine, struct gasan_entry *entry) {
  entry->next_quarantined = NULL;
  if (quarantine->newest)
    quarantine->newest->next_quarantined = entry;
  else
    quarantine->oldest = entry;
  quarantine->newest = entry;
  quarantine->chunks++;
  quarantine->bytes += entry->layout.size;
  quarantine->charge += gasan_quarantine_charge(entry);
}

struct gasan_entry *gasan_quarantine_pop(struct gasan_quarantine *quarantine) {
  struct gasan_entry *entry = quarantine->oldest;
  if (!entry)
    return NULL;
  quarantine->oldest = entry->next_quarantined;
  if (!quarantine->oldest)
    quarantine->newest = NULL;
  fetch_early(quarantine->oldest);
  quarantine->chunks--;
  quarantine->bytes -= entry->layout.size;
  quarantine->charge -= gasan_quarantine_charge(entry);
  return entry;
}
