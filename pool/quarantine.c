#include "pool/quarantine.h"

void gasan_quarantine_push(struct gasan_quarantine *quarantine, struct gasan_entry *entry) {
  entry->next_quarantined = NULL;
  if (quarantine->newest)
    quarantine->newest->next_quarantined = entry;
  else
    quarantine->oldest = entry;
  quarantine->newest = entry;
  quarantine->chunks++;
  quarantine->bytes += entry->layout.size;
}

struct gasan_entry *gasan_quarantine_pop(struct gasan_quarantine *quarantine) {
  struct gasan_entry *entry = quarantine->oldest;
  if (!entry)
    return NULL;
  quarantine->oldest = entry->next_quarantined;
  if (!quarantine->oldest)
    quarantine->newest = NULL;
  quarantine->chunks--;
  quarantine->bytes -= entry->layout.size;
  return entry;
}
